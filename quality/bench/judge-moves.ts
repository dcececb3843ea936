import { median } from './statistics.ts';

/** Values of one figure, a value for each round. */
export type Measured = { before: number[]; after: number[] };

export type Move = { before: number; after: number; ratio: number; hasMoved: boolean };

/** A smaller change is not worth a line, however certain it is. */
const CHANGE_MIN = 0.02;
/** How often chance alone may call a figure moved. */
const CHANCE_MAX = 0.05;

/**
 * Whether a figure differs between two versions beyond its noise: by an exact rank-sum test, which assumes nothing about
 * how the noise is distributed. Four rounds are the least with which it can tell.
 */
export function judgeMove({ before, after }: Measured): Move {
  const [a, b] = [median(before), median(after)];
  const ratio = a === b ? 1 : b / a;
  const isLarge = Math.abs(ratio - 1) >= CHANGE_MIN;
  return { before: a, after: b, ratio, hasMoved: isLarge && chanceOf(before, after) <= CHANCE_MAX };
}

/** How probable a rank sum as far from the middle is when both versions are the same, over all ways to share the ranks. */
function chanceOf(before: number[], after: number[]): number {
  const all = [...before, ...after];
  const ranks = ranksOf(all);
  const sum = (of: number[]) => of.reduce((total, rank) => total + rank, 0);
  const middle = (sum(ranks) * after.length) / all.length;
  const distance = Math.abs(sum(ranks.slice(before.length)) - middle);
  const sums = sumsOf(ranks, after.length);
  return sums.filter((of) => Math.abs(of - middle) >= distance - Number.EPSILON).length / sums.length;
}

/** Equal values share the mean of their ranks. */
function ranksOf(values: number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

/** The sums of every choice of so many of them. */
function sumsOf(ranks: number[], count: number): number[] {
  if (count === 0) return [0];
  if (ranks.length < count) return [];
  const [first = 0, ...rest] = ranks;
  return [...sumsOf(rest, count - 1).map((sum) => sum + first), ...sumsOf(rest, count)];
}
