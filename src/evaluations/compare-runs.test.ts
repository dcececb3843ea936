import { expect, it } from 'vitest';
import { meanInterval, rateInterval, signTest, verdictOf } from './compare-runs.ts';

it('intervals are those of the textbooks', () => {
  // Ten values with mean 5 and sample deviation 2: 5 ± 2.262 · 2 / √10.
  const { low, high } = meanInterval(10, 5, 25 + (4 * 9) / 10);
  expect([low, high].map((one) => Number(one?.toFixed(2)))).toEqual([3.57, 6.43]);
  // Wilson's for 8 of 10.
  const rate = rateInterval(10, 0.8);
  expect([rate.low, rate.high].map((one) => Number(one?.toFixed(3)))).toEqual([0.49, 0.943]);
});

it('too few records give no interval and no verdict', () => {
  expect(meanInterval(1, 1, 1)).toEqual({ value: 1, low: null, high: null });
  expect(verdictOf(meanInterval(1, 1, 1), signTest(1, 0), 1)).toBe('no_clear_difference');
});

it('the sign test is exact, symmetric, and stays finite for many records', () => {
  expect(signTest(0, 0)).toBe(1);
  expect(signTest(5, 0)).toBeCloseTo(2 / 32);
  expect(signTest(9, 1)).toBeCloseTo(signTest(1, 9));
  expect(signTest(9, 1)).toBeCloseTo(22 / 1024);
  expect(signTest(50_000, 50_000)).toBe(1);
  expect(signTest(51_000, 49_000)).toBeLessThan(0.001);
});

it('a verdict needs both an interval without zero and a test that is significant', () => {
  const clear = { value: 0.5, low: 0.2, high: 0.8 };
  expect(verdictOf(clear, 0.01, 1)).toBe('better');
  expect(verdictOf(clear, 0.01, -1)).toBe('worse');
  expect(verdictOf(clear, 0.2, 1)).toBe('no_clear_difference');
  expect(verdictOf({ ...clear, low: -0.1 }, 0.01, 1)).toBe('no_clear_difference');
});
