import type { Scored } from '../store/text.ts';

/** Small: what is first in one list comes before what is in the middle of both. Chosen by `npm run bench retrieval`. */
const RANK_CONSTANT = 8;

/** A `share` below 1 lets an entry count less than its place says. */
export type RankedList = { list: (Scored & { share?: number })[]; weight: number };

/** Reciprocal rank fusion: what several lists have near their tops comes first, whatever their scores mean. */
export function fuseRanks(lists: RankedList[], rankConstant = RANK_CONSTANT): Scored[] {
  const scores = new Map<number, number>();
  for (const { list, weight } of lists) {
    for (const [rank, { id, share = 1 }] of list.entries())
      scores.set(id, (scores.get(id) ?? 0) + (weight * Math.sqrt(share)) / (rankConstant + rank + 1));
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || a.id - b.id);
}
