import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EmbedModel, loadModel, normalize } from './model.ts';
import { countTokens, planBatches, type Window } from './plan-batches.ts';
import type { ChildSettings, FromChild, ToChild } from './protocol.ts';
import { createTokenizer, type Tokenizer } from './tokenizer.ts';

// The process that runs the model, so that the API's own never waits for arithmetic and survives a crash of it.

type Job = { id: number; batches: Window[][]; tokens: number[]; sums: Float32Array };

const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings;
const jobs: Job[] = [];
/** The requests that someone still waits for; the one in work is not among the jobs, but it is here. */
const wanted = new Set<number>();
let isWorking = false;

// Without the parent nobody reads the results. Its end is told by the channel, however it ended.
process.on('disconnect', () => process.exit(0));
// A Ctrl-C or a service manager reaches every process at once; the parent decides when requests are drained.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

const loading = load();
loading.then(
  () => say({ kind: 'ready' }),
  (error: unknown) =>
    process.send?.({ kind: 'unusable', reason: String(error) } satisfies FromChild, () => process.exit(1)),
);

process.on('message', (message: ToChild) => {
  if (message.kind === 'ping') return say({ kind: 'pong' });
  void loading.then(
    (parts) => receive(message, parts),
    () => undefined,
  );
});

async function load(): Promise<{ tokenizer: Tokenizer; model: EmbedModel }> {
  const tokenizer = createTokenizer(await readFile(settings.tokenizerFile, 'utf8'));
  return { tokenizer, model: await loadModel(settings.modelFile, settings.threads, tokenizer.padId) };
}

function receive(
  message: Exclude<ToChild, { kind: 'ping' }>,
  { tokenizer, model }: { tokenizer: Tokenizer; model: EmbedModel },
): void {
  if (message.kind === 'cancel') {
    wanted.delete(message.id);
    return;
  }
  const { id, texts } = message;
  if (message.kind === 'count') {
    say({ kind: 'counted', id, tokens: countTokens(texts, tokenizer) });
    return;
  }
  wanted.add(id);
  jobs.push({ id, ...planBatches(texts, tokenizer), sums: new Float32Array(texts.length * model.dimensions) });
  if (!isWorking) void work(model);
}

// One batch of each request in turn, so a small one does not wait for a big one to end.
async function work(model: EmbedModel): Promise<void> {
  isWorking = true;
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    try {
      const batch = wanted.has(job.id) ? job.batches.pop() : undefined;
      if (batch) await model.run(batch, job.sums);
      if (wanted.has(job.id) && job.batches.length > 0) jobs.push(job);
      else if (wanted.delete(job.id)) finish(job, model.dimensions);
    } catch (error) {
      wanted.delete(job.id);
      say({ kind: 'broken', id: job.id, reason: String(error) });
    }
    // Lets messages in, among them the news that a request was cancelled.
    await nextTurn();
  }
  isWorking = false;
}

function finish({ id, sums, tokens }: Job, dimensions: number): void {
  for (let at = 0; at < sums.length; at += dimensions) normalize(sums.subarray(at, at + dimensions));
  say({ kind: 'embedded', id, vectors: sums, tokens });
}

function say(message: FromChild): void {
  process.send?.(message);
}
