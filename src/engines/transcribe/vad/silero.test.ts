import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { transcriptionWeightsForTests } from '../../weights/weights-for-tests.ts';
import { samplesOf } from '../sounds-for-tests.ts';
import { joinChunks } from './join-chunks.ts';
import { CHUNK_SAMPLES, loadSilero } from './silero.ts';

const vadFile = (await transcriptionWeightsForTests())?.files[3];

/** Chunk by chunk, as the file is made for it. */
async function chancesOf(file: string, samples: Float32Array): Promise<number[]> {
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1 });
  const sr = new Tensor('int64', [16_000n], []);
  let state = new Tensor('float32', new Float32Array(256), [2, 1, 128]);
  const chances: number[] = [];
  const padded = new Float32Array(64 + Math.ceil(samples.length / CHUNK_SAMPLES) * CHUNK_SAMPLES);
  padded.set(samples, 64);
  for (let at = 0; at + 64 < padded.length; at += CHUNK_SAMPLES) {
    const input = new Tensor('float32', padded.slice(at, at + 64 + CHUNK_SAMPLES), [1, 64 + CHUNK_SAMPLES]);
    const { output, stateN } = await session.run({ input, state, sr });
    state = stateN as typeof state;
    chances.push(output?.data[0] as number);
  }
  return chances;
}

describe.skipIf(vadFile === undefined)('the voice detector with real weights', { timeout: 60_000 }, () => {
  it('hears many chunks at once as it hears them one by one, also when another process goes on', async () => {
    const file = vadFile ?? '';
    expect(joinChunks(readFileSync(file))).toBeDefined();
    const samples = await samplesOf('opus.ogg');
    const wanted = await chancesOf(file, samples);
    expect(wanted.some((chance) => chance > 0.9) && wanted.some((chance) => chance < 0.1)).toBe(true);
    const silero = await loadSilero(file);
    for (const chunks of [1, 7, 64]) {
      const heard: number[] = [];
      let detector = silero.start();
      for (let at = 0; at < samples.length; at += chunks * CHUNK_SAMPLES) {
        heard.push(...(await detector.next(samples.subarray(at, at + chunks * CHUNK_SAMPLES))));
        detector = silero.start(detector.memory());
      }
      expect(heard).toHaveLength(wanted.length);
      expect(Math.max(...heard.map((chance, index) => Math.abs(chance - (wanted[index] ?? 2))))).toBeLessThan(1e-4);
    }
  });
});

it('another model is left alone', () => {
  expect(joinChunks(new Uint8Array(0))).toBeUndefined();
});
