import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limitSignal } from './limit-signal.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('aborts when its time is over, and says so', () => {
  const limited = limitSignal(new AbortController().signal, 50);
  vi.advanceTimersByTime(49);
  expect([limited.signal.aborted, limited.isLate]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([limited.signal.aborted, limited.isLate]).toEqual([true, true]);
  expect(limited.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

it.each(['before', 'after'])('aborts with the reason of a signal that aborted %s it was limited', (when) => {
  const given = new AbortController();
  if (when === 'before') given.abort('gone');
  const limited = limitSignal(given.signal, 50);
  if (when === 'after') given.abort('gone');
  expect([limited.signal.reason, limited.isLate]).toEqual(['gone', false]);
  limited.close();
});

it('leaves neither a timer nor a listener when it is closed', () => {
  const given = new AbortController();
  const limited = limitSignal(given.signal, 50);
  limited.close();
  expect(vi.getTimerCount()).toBe(0);
  given.abort('gone');
  expect(limited.signal.aborted).toBe(false);
});
