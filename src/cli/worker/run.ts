import { BadProject, loadDefinitions, startWorker, type Worker } from '../../../packages/workflows/src/worker/index.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { findServer } from '../shell/api-client.ts';
import { type Context, type ExitCode, UsageError } from '../shell/command.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { watchWorker } from './watch-worker.ts';

const STATUS_MS = 1000;
const DRAIN_SECONDS = 30;

/** Runs a project's workflows until it is told to stop. */
export async function worker(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  if (args.flag('watch')) return watchWorker(context);
  const dir = args.parameter('dir');
  const { url, apiKey } = findServer(context);
  const drainMs = 1000 * (wholeNumber(context, 'drain-seconds') ?? DRAIN_SECONDS);
  const given = new AbortController();
  const stopRequested = Promise.race([listenForSignals(() => process.exit(1)), parentGone()]);
  void stopRequested.then(() => given.abort());
  // One careless promise of one execution must not take all others with it.
  process.on('unhandledRejection', (reason) => {
    output.note(
      `warning: a promise was rejected and nobody handled it: ${reason instanceof Error ? reason.message : reason}`,
    );
  });
  const definitions = await loadDefinitions(dir).catch(explain);
  const [deployment, name] = [args.text('deployment'), args.text('name')];
  const [maxSteps, maxTurns] = [wholeNumber(context, 'max-steps'), wholeNumber(context, 'max-turns')];
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
    signal: given.signal,
    log: {
      debug: () => undefined,
      info: (message) => output.note(message),
      warn: (message) => output.note(`warning: ${message}`),
      error: (message) => output.note(`error: ${message}`),
    },
  }).catch((error) => (given.signal.aborted ? undefined : explain(error)));
  if (!running) process.exit(0);
  showReady(context, url, running);
  const status = setInterval(() => output.progress(describe(running)), STATUS_MS);
  try {
    await Promise.race([stopRequested, running.ended.catch(explain)]);
  } finally {
    clearInterval(status);
  }
  output.note('stopping: what has begun is ended first; a second signal ends it at once');
  await running.stop(drainMs);
  // The project may hold connections of its own, and a parent's channel keeps a process alive.
  process.exit(0);
}

function showReady({ output }: Context, url: string, { name, deployment, workflows, steps }: Worker): void {
  const own = steps.filter((step) => !step.startsWith('__'));
  output.result(
    { url, worker: name, deployment, workflows, steps: own },
    [
      output.styled('bold', `The worker ${name} is ready`),
      '',
      `  Server      ${url}`,
      `  Deployment  ${deployment}`,
      `  Workflows   ${workflows.join(', ')}`,
      ...(own.length > 0 ? [`  Steps       ${own.join(', ')}`] : []),
      '',
      'Ctrl-C stops it.',
    ].join('\n'),
  );
}

function describe(running: Worker): string {
  const { turns, steps, cached } = running.status();
  return `${turns} turns and ${steps} steps under way, ${cached} runs kept`;
}

/** A worker that a server started as its child leaves with it, however the server ends. */
function parentGone(): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) process.once('disconnect', resolve);
  });
}

function wholeNumber({ args }: Context, option: string): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${option} must be a whole number, not '${text}'.`);
  return Number(text);
}

function explain(error: unknown): never {
  const isTheirs = error instanceof BadProject || error instanceof TypeError || (error as Error).name === 'Refused';
  throw isTheirs ? new CommandFailure((error as Error).message) : error;
}
