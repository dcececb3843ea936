import { expect, it } from 'vitest';
import { repeatsItself, withoutLoop } from './loops.ts';

const times = (tokens: number[], count: number) => Array.from({ length: count }, () => tokens).flat();

it.each([
  ['one token, again and again', times([7], 15), true],
  ['a phrase, again and again, after a beginning', [1, 2, 3, ...times([7, 8, 9], 5)], true],
  ['a long phrase, five times', times([1, 2, 3, 4, 5, 6, 7, 8], 5), true],
  ['a word that is said some times', [1, ...times([7], 9)], false],
  ['a phrase that is said twice', times([1, 2, 3, 4, 5, 6, 7, 8, 9], 2), false],
  ['a phrase with another end', [...times([7, 8, 9], 5), 1], false],
  ['nothing', [], false],
])('%s', (_, tokens, isLoop) => {
  expect(repeatsItself(tokens)).toBe(isLoop);
});

it('leaves what repeats itself once', () => {
  const round = [7, 8, 9];
  const looped = [1, 2, ...Array.from({ length: 9 }, () => round).flat(), 7];
  expect(looped.slice(0, withoutLoop(looped))).toEqual([1, 2, ...round]);
  expect(withoutLoop([1, 2, 3])).toBe(3);
});
