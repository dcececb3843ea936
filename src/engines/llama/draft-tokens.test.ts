import { expect, test } from 'vitest';
import { createDrafter } from './draft-tokens.ts';

const limits = { tokensMax: 100, mayLookBack: true };
const foreseeing = (...settled: number[]) => ({
  foresee: () => settled,
  cutToFit: (tokens: number[]) =>
    tokens.slice(
      0,
      [...tokens, 60].findIndex((token) => token >= 55),
    ),
});
const count = (length: number, first = 1) => Array.from({ length }, (_, i) => first + i);

test('what followed the same three tokens before is proposed, from the newest place', () => {
  const drafter = createDrafter();
  const tokens = [1, 2, 3, 50, 51, 52, 1, 2, 3, 60, 61, 62, 63, 9, 1, 2, 3];
  expect(drafter.propose(tokens, undefined, limits)).toEqual([60, 61, 62]);
  expect(drafter.propose([...tokens, 7, 8], undefined, limits)).toEqual([]);
});

test('what a grammar has settled goes first, and beside another answer nothing is looked up', () => {
  const drafter = createDrafter();
  const tokens = [1, 2, 3, 50, 51, 52, 1, 2, 3];
  expect(drafter.propose(tokens, foreseeing(80, 81), limits)).toEqual([80, 81]);
  expect(drafter.propose(tokens, foreseeing(), { ...limits, mayLookBack: false })).toEqual([]);
  expect(drafter.propose(tokens, foreseeing(80, 81), { ...limits, tokensMax: 1 })).toEqual([80]);
  expect(drafter.propose(tokens, foreseeing(80, 81), { ...limits, tokensMax: 0 })).toEqual([]);
});

test('beside a grammar two tokens are enough, and what does not fit it is left out', () => {
  const tokens = [1, 2, 50, 51, 60, 9, 1, 2];
  expect(createDrafter().propose(tokens, undefined, limits)).toEqual([]);
  expect(createDrafter().propose(tokens, foreseeing(), limits)).toEqual([50, 51]);
  // One token alone is not worth its part of a step.
  expect(createDrafter().propose([1, 2, 50, 60, 52, 9, 1, 2], foreseeing(), limits)).toEqual([]);
});

test('proposals grow while they are right and stop for a while when they are wrong', () => {
  const drafter = createDrafter();
  const tokens = [...count(40), ...count(3)];
  const proposed = (accepted: (length: number) => number) => {
    const { length } = drafter.propose(tokens, undefined, limits);
    drafter.learn(accepted(length));
    return length;
  };
  expect([1, 2, 3].map(() => proposed((length) => length))).toEqual([3, 6, 10]);
  expect(proposed(() => 4)).toBe(10);
  expect(proposed(() => 0)).toBe(4);
  expect([1, 2, 3, 4, 5].map(() => proposed(() => 0))).toEqual([0, 0, 0, 2, 0]);
});
