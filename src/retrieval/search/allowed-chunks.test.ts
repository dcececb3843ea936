import { expect, it } from 'vitest';
import { bitsOf, idsOf, runsOf } from './allowed-chunks.ts';

const FIRST_ID = 1000;

it('the same chunks are allowed as ids, as runs and as bits, whatever their number', () => {
  for (const length of [0, 1, 7, 8, 9, 30, 1027]) {
    const chunks = Uint8Array.from({ length }, (_, i) => (i % 7 < 3 || i === length - 1 ? 1 : 0));
    const allowed = { chunks, count: 0, firstId: FIRST_ID };
    const numbers = [...chunks.keys()].filter((number) => chunks[number] === 1);
    expect(idsOf(allowed)).toEqual(numbers.map((number) => FIRST_ID + number));
    const bits = bitsOf(allowed);
    expect(bits).toHaveLength(Math.ceil(length / 8));
    expect([...chunks.keys()].filter((n) => (bits[n >>> 3] as number) & (1 << (n & 7)))).toEqual(numbers);
    const inRuns = runsOf(allowed).flatMap(([from, end]) => Array.from({ length: end - from }, (_, i) => from + i));
    expect(inRuns).toEqual(idsOf(allowed));
  }
});
