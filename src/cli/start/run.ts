import { isIPv6 } from 'node:net';
import { version } from '../../config/version.ts';
import { releaseAfterStart, tuneCollector } from '../../kit/base/tune-collector.ts';
import { startServer } from '../../main.ts';
import { showBuild } from '../console/show-build.ts';
import type { Context } from '../shell/command.ts';
import { drawProgress } from '../shell/draw-progress.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { forwardOptions } from '../shell/parse-values.ts';
import { readConfig, START_VARIABLES } from '../shell/read-config.ts';
import { type StartFacts, startCard } from './start-card.ts';
import { startWorkflowWorker } from './start-workflow-worker.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;
const DEFAULT_CHAT_WEIGHTS = 'smollm2-135m-instruct';

export async function start(context: Context): Promise<undefined> {
  const { args, output } = context;
  const config = readConfig(context, START_VARIABLES);
  // Before the start, so that a signal during it also leads to a clean stop.
  const stopRequested = listenForSignals(() => process.exit(1));
  tuneCollector();
  const { url, bootstrap, stop } = await startServer(config, {
    onPullProgress: (model, news) =>
      news === 'here'
        ? output.note(`downloaded the weights of ${model}`)
        : output.progress(drawProgress(`downloading ${model}`, news)),
    console: { onProgress: (progress) => showBuild(output, progress) },
  });
  const isGiven = config.bootstrap.apiKey !== undefined;
  const ownUrl = url.replace('[::]', '[::1]');
  const address = config.publicUrl ?? ownUrl;
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
    chatModel: config.file.models.find(({ capabilities }) => capabilities.completion_chat)?.id,
    isTiny: config.file.models.some((model) => model.engine === 'llama' && model.weights === DEFAULT_CHAT_WEIGHTS),
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
      version,
      node: process.version,
    },
    startCard(facts, output.styled),
  );
  releaseAfterStart();
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

/** A warning if other machines can connect. */
function describeExposure(host: string, port: string): string | undefined {
  if (LOOPBACK.test(host)) return undefined;
  const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  return `listening on ${address}: every machine that can reach this one can call the API; requests still need a key; use TLS in front of it, because keys are sent in plain text otherwise`;
}
