import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { inFull } from '../../../../test/support/in-full.ts';
import { transcriptionWeightsForTests } from '../../weights/weights-for-tests.ts';
import { quantizeLogits } from './quantize-logits.ts';
import { START, VOCABULARY } from './tokenizer.ts';

const decoderFile = (await transcriptionWeightsForTests())?.files[1];
const [LAYERS, HEADS, WIDTH] = [4, 6, 384];

/** After the start of a transcript of some sound. */
async function logitsOf(model: Uint8Array): Promise<Float32Array> {
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1 });
  const nothing = new Tensor('float32', new Float32Array(0), [1, HEADS, 0, WIDTH / HEADS]);
  const past = Object.fromEntries(
    Array.from({ length: LAYERS }, (_, layer) => layer).flatMap((layer) =>
      ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map((name) => [
        `past_key_values.${layer}.${name}`,
        nothing,
      ]),
    ),
  );
  const sound = Float32Array.from({ length: 50 * WIDTH }, (_, index) => Math.sin(index * 1.7));
  const { logits } = await session.run({
    ...past,
    input_ids: new Tensor('int64', [BigInt(START)], [1, 1]),
    encoder_hidden_states: new Tensor('float32', sound, [1, 50, WIDTH]),
    use_cache_branch: new Tensor('bool', [false], [1]),
  });
  return logits?.data as Float32Array;
}

describe.skipIf(decoderFile === undefined)('the decoder with real weights', { timeout: 60_000 }, () => {
  inFull.it('has the same logits, but for rounding, from vectors of words that stay bytes', async () => {
    const model = readFileSync(decoderFile ?? '');
    const changed = quantizeLogits(model);
    expect([model.includes('logits_words'), Buffer.from(changed).includes('logits_words')]).toEqual([false, true]);
    const [before, after] = [await logitsOf(model), await logitsOf(changed)];
    expect([before.length, after.length]).toEqual([VOCABULARY, VOCABULARY]);
    const spread = Math.max(...before) - Math.min(...before);
    const apart = before.reduce((most, value, index) => Math.max(most, Math.abs(value - (after[index] ?? 0))), 0);
    expect(apart / spread).toBeLessThan(0.05);
  });
});

it('another model is left alone', () => {
  expect(quantizeLogits(new Uint8Array(0))).toHaveLength(0);
});
