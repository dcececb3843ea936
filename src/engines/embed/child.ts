import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { serveParent } from '../process/serve-parent.ts';

import { loadModel, normalize } from './model.ts';
import { countTokens, planBatches, type Window } from './plan-batches.ts';
import type { EmbedReply, EmbedRequest, EmbedSettings } from './protocol.ts';
import { createTokenizer } from './tokenizer.ts';

type Job = { batches: Window[][]; sums: Float32Array; signal: AbortSignal; finish(): void; fail(error: unknown): void };

// The process that runs the model, so that the server never waits for arithmetic and survives a crash of it.
serveParent<EmbedSettings, EmbedRequest, EmbedReply>(async ({ modelFile, tokenizerFile, threads }) => {
  const tokenizer = createTokenizer(await readFile(tokenizerFile, 'utf8'));
  const model = await loadModel(modelFile, threads, tokenizer.padId);
  const jobs: Job[] = [];
  let isWorking = false;

  // One batch of each request in turn, so that a small one does not wait for a big one.
  async function work(): Promise<void> {
    isWorking = true;
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      try {
        const batch = job.signal.aborted ? undefined : job.batches.pop();
        if (batch) await model.run(batch, job.sums);
        if (!job.signal.aborted && job.batches.length > 0) jobs.push(job);
        else job.finish();
      } catch (error) {
        job.fail(error);
      }
      // Lets messages in, among them cancellations.
      await nextTurn();
    }
    isWorking = false;
  }

  return {
    async serve({ kind, texts }, give, signal) {
      if (kind === 'count') return give({ tokens: countTokens(texts, tokenizer) });
      const { batches, tokens } = planBatches(texts, tokenizer);
      const sums = new Float32Array(texts.length * model.dimensions);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      jobs.push({ batches, sums, signal, finish: resolve, fail: reject });
      if (!isWorking) void work();
      await promise;
      if (signal.aborted) return;
      for (let at = 0; at < sums.length; at += model.dimensions) normalize(sums.subarray(at, at + model.dimensions));
      give({ vectors: sums, tokens });
    },
  };
});
