import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFairQueue, type Tenant } from '../../kit/fair-queue/index.ts';
import { serveParent } from '../process/serve-parent.ts';
import { normalize } from './model.ts';
import { openModel } from './open-model.ts';
import { batchWindows, encodeText, type Window } from './plan-batches.ts';
import type { EmbedReply, EmbedRequest, EmbedSettings } from './protocol.ts';

/** Texts up to this many characters together are encoded in one turn. */
const TURN_CHARACTERS = 20_000;

// The process that runs the model, so that the server never waits for arithmetic and survives a crash of it.
serveParent<EmbedSettings, EmbedRequest, EmbedReply>(async (settings) => {
  const { tokenizer, model } = await openModel(settings);
  const queue = createFairQueue({ concurrency: 1, refuse: () => new Error('Any number may wait here.') });
  let turns = 0;

  /** One batch of each tenant in turn, so that a small request does not wait for many big ones. */
  function takeTurn(tenant: Tenant, signal: AbortSignal, work: () => Promise<void> | void): Promise<void> {
    return queue.run(tenant, signal, async () => {
      turns++;
      await work();
      // Lets messages in, among them cancellations.
      await nextTurn();
    });
  }

  async function encode({ texts, tenant }: EmbedRequest, signal: AbortSignal) {
    const windows: Window[] = [];
    const tokens: number[] = [];
    while (tokens.length < texts.length)
      await takeTurn(tenant, signal, () => {
        for (let characters = 0; tokens.length < texts.length && characters < TURN_CHARACTERS; ) {
          const text = texts[tokens.length] as string;
          characters += text.length;
          tokens.push(encodeText(text, tokens.length, tokenizer, windows));
        }
      });
    return { windows, tokens };
  }

  return {
    workInHand: () => (queue.stats().running > 0 ? turns : undefined),
    async serve(request, give, signal) {
      try {
        const { windows, tokens } = await encode(request, signal);
        if (request.kind === 'count') return give({ tokens });
        const sums = new Float32Array(request.texts.length * model.dimensions);
        for (const batch of batchWindows(windows).reverse())
          await takeTurn(request.tenant, signal, () => model.run(batch, sums));
        if (settings.task === 'classify') average(sums, windows, model.dimensions);
        else
          for (let at = 0; at < sums.length; at += model.dimensions)
            normalize(sums.subarray(at, at + model.dimensions));
        give({ vectors: sums, tokens });
      } catch (error) {
        // The client left; nobody waits for an answer.
        if (!signal.aborted) throw error;
      }
    },
  };
});

/** The sums are weighted by the tokens of the windows. */
function average(sums: Float32Array, windows: readonly Window[], labels: number): void {
  const tokens: number[] = [];
  for (const { text, ids } of windows) tokens[text] = (tokens[text] ?? 0) + ids.length;
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) / (tokens[Math.floor(at / labels)] ?? 1);
}
