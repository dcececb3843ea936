import { expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { keptAfter } from '../../../test/support/young-memory.ts';
import { SlotMap } from './slot-map.ts';

const ROUNDS = rounds(3, 10);
const ITEMS = 1000;
const IN_USE = 50;
const BYTES = 4096;

/** Adds one at a time, and removes the oldest when there are more than some. */
function churn(map: Map<string, number[]> | SlotMap<number[]>, from: number): void {
  for (let i = from; i < from + ITEMS; i++) {
    map.set(`item-${i}`, new Array(BYTES / 8).fill(i + 0.5));
    map.delete(`item-${i - IN_USE}`);
  }
}

const keptBy = (map: Parameters<typeof churn>[0]) => keptAfter(ROUNDS, (round) => churn(map, round * ITEMS));

it('what was removed is gone with the next collection of young objects, which a Map that lives long keeps', async () => {
  const all = ROUNDS * ITEMS * BYTES;
  expect(await keptBy(new SlotMap())).toBeLessThan(all / 10);
  expect(await keptBy(new Map())).toBeGreaterThan(all / 4);
});

it('it is a map: a key has its last value, and the oldest key is first', () => {
  const map = new SlotMap<string>();
  map.set('a', 'first');
  map.set('b', 'second');
  map.set('a', 'third');
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual(['third', 'second', undefined, 2]);
  expect([map.delete('c'), map.delete('b'), map.delete('b'), map.size]).toEqual([false, true, false, 1]);
  map.set('d', 'fourth');
  expect([...map.keys()]).toEqual(['a', 'd']);
  map.delete('a');
  expect([[...map.keys()], [...map.values()], map.has('d'), map.has('a')]).toEqual([['d'], ['fourth'], true, false]);
});

it('a burst leaves it as it was', () => {
  const map = new SlotMap<number>();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 3000; i++) map.set(`key-${i}`, i);
    expect([map.get('key-0'), map.get('key-2999'), map.size]).toEqual([0, 2999, 3000]);
    for (let i = 0; i < 3000; i++) expect(map.delete(`key-${i}`)).toBe(true);
    expect([map.size, [...map.values()]]).toEqual([0, []]);
  }
});
