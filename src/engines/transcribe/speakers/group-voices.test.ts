import { describe, expect, it } from 'vitest';
import { groupVoices } from './group-voices.ts';
import { labelSegments } from './label-segments.ts';
import type { HeardVoice } from './protocol.ts';

const ann = Float32Array.of(1, 0, 0);
const bob = Float32Array.of(0, 1, 0);
const near = (voice: Float32Array) => voice.map((value) => value * 0.9 + 0.1);

const voice = (piece: number, embedding: Float32Array, ...spans: [number, number][]): HeardVoice => ({
  piece,
  embedding,
  seconds: spans.reduce((sum, [start, end]) => sum + end - start, 0),
  spans,
});

describe('speakers', () => {
  it('are the same in all pieces, in the order in which they begin', () => {
    const turns = groupVoices(
      [voice(0, bob, [0, 3]), voice(0, ann, [3, 9]), voice(1, near(ann), [10, 12]), voice(2, near(bob), [20, 29])],
      [],
    );
    expect(turns.map(({ start, speaker }) => [start, speaker])).toEqual([
      [0, 'speaker_1'],
      [3, 'speaker_2'],
      [10, 'speaker_2'],
      [20, 'speaker_1'],
    ]);
  });

  it('are two where one piece has both, however alike they sound', () => {
    const turns = groupVoices([voice(0, ann, [0, 3]), voice(0, near(ann), [3, 6])], []);
    expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(2);
  });

  it('get the names of recordings that they are like, and no name twice', () => {
    const known = [
      { name: 'Bob', embedding: bob },
      { name: 'Nobody', embedding: Float32Array.of(0, 0, 1) },
    ];
    const turns = groupVoices([voice(0, near(bob), [0, 3]), voice(0, ann, [3, 6])], known);
    expect(turns.map(({ speaker }) => speaker)).toEqual(['Bob', 'speaker_1']);
  });
});

describe('segments', () => {
  const turns = [
    { start: 0, end: 2, speaker: 'a' },
    { start: 2, end: 4, speaker: 'b' },
  ];
  const word = (text: string, start: number) => ({ text, start, end: start + 0.5, score: 1 });

  it('are cut where the speaker changes, and a word between two turns goes to the nearer', () => {
    const words = [word(' One', 0.5), word(' two', 1.4), word(' three', 2.2), word(' four', 4.1)];
    const segment = { text: ' One two three four', start: 0.4, end: 4.6, score: 0.9, words };
    expect(labelSegments([segment], turns)).toMatchObject([
      { text: ' One two', start: 0.4, end: 1.9, speaker: 'a' },
      { text: ' three four', start: 2.2, end: 4.6, speaker: 'b' },
    ]);
  });

  it('have no speaker where nobody was heard', () => {
    const segment = { text: ' Late', start: 60, end: 61, score: 0.9, words: [] };
    expect(labelSegments([segment], turns)).toMatchObject([{ speaker: undefined }]);
  });
});
