import { expect, it } from 'vitest';
import { parseRetryAfter, retryWaitMs } from './plan-retry.ts';

it('a message is tried for a day, with growing waits, and then given up', () => {
  const waits: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const waitMs = retryWaitMs(attempt, { random: () => 0 });
    if (waitMs === undefined) break;
    waits.push(waitMs);
  }
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  const hours = waits.reduce((sum, waitMs) => sum + waitMs, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(23.5);
  expect(hours).toBeLessThan(24.5);
  expect(retryWaitMs(1, { random: () => 1 })).toBe(5500);
});

it('a receiver that asks for a later attempt gets it then, within eight hours; no sooner than planned, and no further attempts', () => {
  const wait = (askedMs: number, attempt = 1) => retryWaitMs(attempt, { askedMs, random: () => 0 });
  expect([wait(60_000), wait(1000), wait(10 ** 12)]).toEqual([60_000, 5000, 8 * 3_600_000]);
  expect(wait(60_000, 11)).toBeUndefined();
});

it.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Tue, 17 Nov 2026 09:01:00 GMT', 60_000],
  ['Tue, 17 Nov 2026 08:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %s is %s ms', (text, expected) => {
  const waitMs = parseRetryAfter(text, Date.parse('2026-11-17T09:00:00Z'));
  expect(waitMs).toBe(expected);
});
