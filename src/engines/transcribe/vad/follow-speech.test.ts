import { expect, it } from 'vitest';
import { SAMPLE_RATE } from '../transcription-engine.ts';
import { followSpeech, startFollowing } from './follow-speech.ts';
import type { SileroModel } from './silero.ts';

/** Hears sound as speech, and remembers how many chunks it heard. */
const silero: SileroModel = {
  start(memory) {
    let count = memory?.state[0] ?? 0;
    return {
      async next(chunk) {
        count++;
        return Float32Array.of((chunk[0] ?? 0) > 0.1 ? 1 : 0);
      },
      memory: () => ({ heard: new Float32Array(0), state: Float32Array.of(count) }),
    };
  },
};

function sound(seconds: number, ...spoken: [from: number, to: number][]) {
  const samples = new Float32Array(seconds * SAMPLE_RATE);
  for (const [from, to] of spoken) samples.fill(1, from * SAMPLE_RATE, to * SAMPLE_RATE);
  return async (at: number, count: number) => samples.subarray(at, at + count);
}

it('finds the same utterances whether the audio comes at once or piece by piece', async () => {
  const read = sound(8, [1, 2], [4, 6]);
  const found = async (step: number) => {
    const utterances: { start: number; end: number }[] = [];
    let speech = startFollowing();
    for (let to = step; to <= 8 * SAMPLE_RATE; ) {
      speech = await followSpeech(silero, read, speech, to);
      if (speech.isOver) utterances.push({ start: (speech.start ?? 0) / SAMPLE_RATE, end: speech.end / SAMPLE_RATE });
      else to += step;
    }
    return { utterances, chunks: speech.memory?.state[0] };
  };
  const whole = await found(8 * SAMPLE_RATE);
  expect(whole.utterances.map(({ start, end }) => [start, end].map((time) => Math.round(time * 10) / 10))).toEqual([
    [0.7, 2.3],
    [3.7, 6.3],
  ]);
  // Each chunk is judged once.
  expect(whole.chunks).toBe(Math.floor((8 * SAMPLE_RATE) / 512));
  expect(await found(3200)).toEqual(whole);
});

it('a click is no speech', async () => {
  const speech = await followSpeech(silero, sound(2, [1, 1.05]), startFollowing(), 2 * SAMPLE_RATE);
  expect(speech).toMatchObject({ isOver: false, at: expect.any(Number) });
  expect(speech.start).toBeUndefined();
});
