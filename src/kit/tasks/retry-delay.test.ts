import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryDelayMs } from './retry-delay.ts';

it('doubles from one second to five minutes', () => {
  const delays = [1, 2, 3, 9, 10, 1000].map((attempt) => retryDelayMs(attempt, () => 0));
  expect(delays).toEqual([1000, 2000, 4000, 256_000, 300_000, 300_000]);
});

it('takes off at most half, whatever the chance', () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, chance) => {
      const fullMs = retryDelayMs(attempt, () => 0);
      const delayMs = retryDelayMs(attempt, () => chance);
      expect(delayMs).toBeGreaterThanOrEqual(fullMs / 2);
      expect(delayMs).toBeLessThanOrEqual(fullMs);
    }),
  );
});
