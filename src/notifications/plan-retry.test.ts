import { expect, it } from 'vitest';
import { retryWaitMs } from './plan-retry.ts';

it('a message is tried for a day, with growing waits, and then given up', () => {
  const waits: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const waitMs = retryWaitMs(attempt, () => 0);
    if (waitMs === undefined) break;
    waits.push(waitMs);
  }
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  const hours = waits.reduce((sum, waitMs) => sum + waitMs, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(23.5);
  expect(hours).toBeLessThan(24.5);
  expect(retryWaitMs(1, () => 1)).toBe(5500);
});
