import { isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { explainStartFailure } from '../../compose/start-failure.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { version } from '../../config/version.ts';
import { releaseWhenQuiet, tuneCollector } from '../../kit/base/tune-collector.ts';
import { type RunningServer, type StartOptions, startServer } from '../../main.ts';
import { showBuild } from '../console/show-build.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { drawProgress } from '../shell/draw-progress.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import type { Output } from '../shell/output.ts';
import { forwardOptions } from '../shell/parse-values.ts';
import { applyFlags, readConfig, START_VARIABLES } from '../shell/read-config.ts';
import { SHARED_VARIABLE } from './processes/messages.ts';
import { serveShared } from './processes/serve-shared.ts';
import { type Processes, startProcesses } from './processes/supervise.ts';
import { type StartFacts, startCard } from './start-card.ts';
import { startWorkflowWorker } from './start-workflow-worker.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;
const DEFAULT_CHAT_WEIGHTS = 'smollm2-135m-instruct';

export async function start(context: Context): Promise<undefined> {
  const { args, output } = context;
  const { [SHARED_VARIABLE]: shared, ...environment } = context.environment;
  const config = readConfig({ ...context, environment }, START_VARIABLES);
  const options: StartOptions = {
    onPullProgress: (model, news) =>
      news === 'here'
        ? output.note(`downloaded the weights of ${model}`)
        : output.progress(drawProgress(`downloading ${model}`, news)),
    console: { onProgress: (progress) => showBuild(output, progress) },
  };
  tuneCollector();
  if (shared !== undefined) {
    await serveShared(config, options);
    releaseWhenQuiet();
    return;
  }
  const count = countProcesses(args.text('processes'), config, output);
  let server: Running | undefined;
  // Before the start, so that a signal during it also leads to a clean stop.
  const stopRequested = listenForSignals(
    () => {
      server?.kill?.();
      process.exit(1);
    },
    count > 1 ? ['SIGINT', 'SIGTERM'] : undefined,
  );
  if (count > 1) {
    const childEnvironment = applyFlags(environment, args, START_VARIABLES);
    const processes = startProcesses({ count, config, environment: childEnvironment, onNews: output.note });
    reloadOnSignal(processes, childEnvironment, output);
    server = await processes.catch((error: unknown) => {
      throw explainStartFailure(error, config);
    });
  } else server = await startServer(config, options);
  const { url, bootstrap, stop } = server;
  const isGiven = config.bootstrap.apiKey !== undefined;
  const ownUrl = url.replace('[::]', '[::1]');
  const address = config.publicUrl ?? ownUrl;
  const chatModel = config.file.models.find(({ capabilities }) => capabilities.completion_chat);
  const facts: StartFacts = {
    url: ownUrl,
    publicUrl: config.publicUrl,
    dataDir: config.dataDir,
    key: bootstrap.created
      ? isGiven
        ? { from: 'environment' }
        : { from: 'generated', value: bootstrap.apiKey }
      : undefined,
    link: bootstrap.created
      ? { url: `${address}${bootstrap.link.path}`, email: config.bootstrap.ownerEmail }
      : undefined,
    chatModel: chatModel?.id,
    isTiny: chatModel?.engine === 'llama' && chatModel.weights === DEFAULT_CHAT_WEIGHTS,
    flags: forwardOptions(args, ['data-dir', 'config']),
  };
  output.result(
    {
      url: facts.url,
      console_url: `${address}/console`,
      ...(facts.link && { console_link: facts.link.url }),
      data_dir: facts.dataDir,
      first_start: bootstrap.created,
      ...(facts.key?.from === 'generated' && { api_key: facts.key.value }),
      ...(facts.key?.from === 'environment' && { api_key_from: 'TRAMONTANE_BOOTSTRAP_API_KEY' }),
      ...(count > 1 && { processes: count }),
      version,
      node: process.version,
    },
    startCard(facts, output.styled),
  );
  releaseWhenQuiet();
  const exposure = describeExposure(config.host, new URL(url).port);
  if (exposure) output.note(exposure);
  const workflows = args.text('workflows');
  const worker = workflows === undefined ? undefined : await startWorkflowWorker(context, config, facts.url, workflows);
  await stopRequested;
  output.note(
    `stopping: running requests have ${config.file.server.drain_seconds} s to finish; a second signal stops at once`,
  );
  await worker?.stop();
  await stop();
  process.exit(0);
}

type Running = Pick<RunningServer, 'url' | 'bootstrap' | 'stop'> & { kill?: () => void };

/** How many processes serve. Says why it is one where more were asked for. */
function countProcesses(asked: string | undefined, config: Config, output: Output): number {
  if (asked !== undefined && asked !== 'auto' && !/^[1-9]\d{0,2}$/.test(asked))
    throw new UsageError(`--processes must be a number from 1 to 999, or auto, not '${asked}'.`);
  const count = asked === 'auto' ? availableParallelism() : Number(asked ?? 1);
  const reason =
    config.database.kind === 'sqlite'
      ? 'a SQLite file belongs to one process. Set TRAMONTANE_DATABASE_URL to use PostgreSQL'
      : config.temporal &&
        'workers of Temporal reach one process at its gateway. Start several servers on ports of their own';
  if (count === 1 || !reason) return count;
  output.note(`one process serves: ${reason}`);
  return 1;
}

/** SIGHUP reads the configuration again and replaces one process after the other. */
function reloadOnSignal(started: Promise<Processes>, environment: Environment, output: Output): void {
  let reloading: Promise<void> = started.then(
    () => undefined,
    () => undefined,
  );
  process.on('SIGHUP', () => {
    reloading = reloading.then(async () => {
      try {
        loadConfig(environment);
        output.note('reloading: processes are replaced one by one');
        await (await started).reload();
        output.note('reloaded: all processes have the new configuration');
      } catch (error) {
        output.note(`not reloaded: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  });
}

/** A warning if other machines can connect. */
function describeExposure(host: string, port: string): string | undefined {
  if (LOOPBACK.test(host)) return undefined;
  const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  return `listening on ${address}: every machine that can reach this one can call the API; requests still need a key; use TLS in front of it, because keys are sent in plain text otherwise`;
}
