import { expect, it } from 'vitest';
import { judgeMove } from './judge-moves.ts';

it('calls a figure moved that is apart from the other in every round', () => {
  expect(judgeMove({ before: [100, 104, 98, 101], after: [120, 131, 118, 125] })).toEqual({
    before: 100,
    after: 120,
    ratio: 1.2,
    hasMoved: true,
  });
});

it('does not call a figure moved whose rounds overlap, however far its median went', () => {
  expect(judgeMove({ before: [100, 160, 98, 101], after: [120, 90, 118, 125] }).hasMoved).toBe(false);
});

it('does not call a figure moved that differs always, but by less than anybody would care for', () => {
  expect(judgeMove({ before: [100, 100.1, 100.2, 100], after: [101, 101.1, 101.2, 101] }).hasMoved).toBe(false);
});

it('tells equal counts from different ones, and nothing from three rounds', () => {
  expect(judgeMove({ before: [5, 5, 5, 5], after: [5, 5, 5, 5] }).hasMoved).toBe(false);
  expect(judgeMove({ before: [5, 5, 5, 5], after: [6, 6, 6, 6] }).hasMoved).toBe(true);
  expect(judgeMove({ before: [5, 5, 5], after: [6, 6, 6] }).hasMoved).toBe(false);
});
