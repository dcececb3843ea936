import { expect, it } from 'vitest';
import { fuseRanks } from './fuse-ranks.ts';

const ranked = (...ids: number[]) => ids.map((id) => ({ id, score: 1 }));
const shared = (share: number, ...ids: number[]) => ids.map((id) => ({ id, score: 1, share }));
const order = (...lists: Parameters<typeof fuseRanks>[0][number]['list'][]) =>
  fuseRanks(lists.map((list) => ({ list, weight: 1 }))).map(({ id }) => id);

it('what both lists have near their tops comes first', () => {
  expect(order(ranked(1, 2, 3), ranked(4, 2, 5))[0]).toBe(2);
});

it('hits that have little of the query do not push out what is near in meaning', () => {
  expect(order(shared(0.1, 1, 2, 3), ranked(4, 5, 6))).toEqual([4, 5, 6, 1, 2, 3]);
  expect(order(shared(1, 1, 2, 3), ranked(4, 5, 6))).toEqual([1, 4, 2, 5, 3, 6]);
});
