import { afterEach, expect, it, vi } from 'vitest';
import { isoMicros } from './clock.ts';

afterEach(() => void vi.useRealTimers());

const NOON = Date.parse('2030-01-01T12:00:00Z');

it('timestamps increase within a millisecond, and while a clock is set back a little', () => {
  vi.useFakeTimers({ now: NOON, toFake: ['Date'] });
  const first = Array.from({ length: 1500 }, () => isoMicros());
  vi.setSystemTime(NOON - 100);
  const all = [...first, isoMicros(), isoMicros()];
  expect(all).toEqual([...new Set(all)].sort());
});

it('a clock that was an hour ahead and is set right is followed', () => {
  vi.useFakeTimers({ now: NOON + 3_600_000, toFake: ['Date'] });
  isoMicros();
  vi.setSystemTime(NOON);
  expect(isoMicros()).toBe('2030-01-01T12:00:00.000000Z');
});
