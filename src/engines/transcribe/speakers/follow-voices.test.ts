import { describe, expect, it } from 'vitest';
import { followVoices } from './follow-voices.ts';
import type { HeardVoice } from './protocol.ts';

const ann = Float32Array.of(1, 0, 0);
const bob = Float32Array.of(0, 1, 0);
const between = Float32Array.of(0.8, 0.2, 0.9);

const voice = (embedding: Float32Array, start: number, end: number, piece = start): HeardVoice => ({
  piece,
  embedding,
  seconds: end - start,
  spans: [[start, end]],
});
const names = (turns: { speaker: string }[]) => turns.map(({ speaker }) => speaker);

describe('speakers of a live session', () => {
  it('keep their names from one utterance to the next', () => {
    const voices = followVoices([]);
    expect(names(voices.add([voice(ann, 0, 3)]))).toEqual(['speaker_1']);
    expect(names(voices.add([voice(bob, 4, 7)]))).toEqual(['speaker_2']);
    expect(names(voices.add([voice(ann, 8, 9), voice(bob, 9, 10)]))).toEqual(['speaker_1', 'speaker_2']);
  });

  it('are two where one utterance has both, however alike they sound', () => {
    expect(new Set(names(followVoices([]).add([voice(ann, 0, 3, 0), voice(ann, 3, 6, 0)]))).size).toBe(2);
  });

  it('have the names of recordings that they are like; others are numbered', () => {
    const voices = followVoices([{ name: 'Bob', embedding: bob }]);
    expect(names(voices.add([voice(ann, 0, 3), voice(bob, 4, 7)]))).toEqual(['speaker_1', 'Bob']);
    // Too little to be somebody new, and not enough to be called Bob.
    expect(names(voices.add([voice(between, 8, 8.5)]))).toEqual(['speaker_1']);
  });

  it('are a bounded number, however many voices are heard', () => {
    const voices = followVoices([]);
    for (let i = 0; i < 200; i++) {
      const embedding = new Float32Array(200);
      embedding[i] = 1;
      voices.add([voice(embedding, i * 3, i * 3 + 2)]);
    }
    const last = new Float32Array(200).fill(0);
    last[199] = -1;
    expect(Number(names(voices.add([voice(last, 900, 903)]))[0]?.slice('speaker_'.length))).toBeLessThanOrEqual(32);
  });
});
