import { BadProject, loadDefinitions, startWorker, type Worker } from '../../../packages/workflows/src/worker/index.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { findServer } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { parseCount } from '../shell/parse-values.ts';
import { watchWorker } from './watch-worker.ts';

const STATUS_MS = 1000;
const DRAIN_SECONDS = 30;
const COUNT_MAX = 1_000_000;

/** Runs a project's workflows until a signal, or until the parent process exits. */
export async function worker(context: Context): Promise<undefined> {
  const { args, output } = context;
  if (args.flag('watch')) return watchWorker(context);
  const dir = args.parameter('dir');
  const { url, apiKey } = findServer(context);
  const drainMs = 1000 * (countOption(context, 'drain-seconds') ?? DRAIN_SECONDS);
  const starting = new AbortController();
  const stopRequested = Promise.race([listenForSignals(() => process.exit(1)), parentExited()]);
  void stopRequested.then(() => starting.abort());
  // A rejection that belongs to no execution, such as one of a module of the project, must not stop them.
  process.on('unhandledRejection', (reason) => {
    output.note(`warning: unhandled promise rejection: ${reason instanceof Error ? reason.message : reason}`);
  });
  const definitions = await loadDefinitions(dir).catch(explain);
  const [deployment, name] = [args.text('deployment'), args.text('name')];
  const [maxSteps, maxTurns] = [countOption(context, 'max-steps'), countOption(context, 'max-turns')];
  const running = await startWorker({
    url,
    apiKey,
    workflows: definitions.workflows,
    steps: definitions.steps,
    files: definitions.files,
    ...(deployment === undefined ? {} : { deployment }),
    ...(name === undefined ? {} : { name }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    signal: starting.signal,
    log: {
      debug: () => undefined,
      info: (message) => output.note(message),
      warn: (message) => output.note(`warning: ${message}`),
      error: (message) => output.note(`error: ${message}`),
    },
  }).catch((error) => (starting.signal.aborted ? undefined : explain(error)));
  if (!running) process.exit(0);
  showReady(context, url, running);
  const status = setInterval(() => output.progress(describe(running)), STATUS_MS);
  try {
    await Promise.race([stopRequested, running.ended.catch(explain)]);
  } finally {
    clearInterval(status);
  }
  output.note('stopping: running work finishes first; a second signal stops at once');
  await running.stop(drainMs);
  // Open connections of the project, or the channel to a parent, would keep the process alive.
  process.exit(0);
}

function showReady({ output }: Context, url: string, { name, deployment, workflows, steps }: Worker): void {
  const own = steps.filter((step) => !step.startsWith('__'));
  output.result(
    { url, worker: name, deployment, workflows, steps: own },
    [
      output.styled('bold', `Worker ${name} is ready`),
      '',
      `  Server      ${url}`,
      `  Deployment  ${deployment}`,
      `  Workflows   ${workflows.join(', ')}`,
      ...(own.length > 0 ? [`  Steps       ${own.join(', ')}`] : []),
      '',
      'Press Ctrl-C to stop.',
    ].join('\n'),
  );
}

function describe(running: Worker): string {
  const { turns, steps, cached } = running.status();
  return `${turns} turns and ${steps} steps running, ${cached} executions cached`;
}

/** Resolves when the parent process exits, if there is one. */
function parentExited(): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) process.once('disconnect', resolve);
  });
}

function countOption({ args }: Context, option: string): number | undefined {
  const text = args.text(option);
  return text === undefined ? undefined : parseCount(`--${option}`, text, COUNT_MAX, 0);
}

function explain(error: unknown): never {
  const isUserError = error instanceof BadProject || error instanceof TypeError || (error as Error).name === 'Refused';
  throw isUserError ? new CommandFailure((error as Error).message) : error;
}
