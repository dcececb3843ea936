import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchChild } from './watch-child.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const ask = vi.fn();
  const hung = vi.fn();
  return { ask, hung, ...watchChild({ ask, hung }) };
}

it('a silent process is reported once, after 30 s when it serves and after 120 s while it loads', () => {
  const loading = watched();
  vi.advanceTimersByTime(120_000);
  expect(loading.hung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5000);
  expect(loading.hung.mock.calls).toEqual([['gave no sign of life for 120 s', 'hung']]);

  const serving = watched();
  serving.ready();
  vi.advanceTimersByTime(30_000);
  expect(serving.hung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(serving.hung.mock.calls).toEqual([['gave no sign of life for 30 s', 'hung']]);
  expect(serving.ask).toHaveBeenCalledTimes(6);
});

it('whatever it says is a sign of life', () => {
  const { ready, heard, answered, hung, stop } = watched();
  ready();
  for (let time = 0; time < 20; time++) {
    vi.advanceTimersByTime(25_000);
    if (time % 2) heard();
    else answered(undefined);
  }
  expect(hung).not.toHaveBeenCalled();
  stop();
  vi.advanceTimersByTime(600_000);
  expect(hung).not.toHaveBeenCalled();
});

it('slow work is let be as long as it moves, and stuck work is reported after five minutes', () => {
  const { ready, answered, hung } = watched();
  ready();
  let work = 0;
  const turn = () => {
    vi.advanceTimersByTime(5000);
    answered(work);
  };
  for (; work < 3; work++) for (let time = 0; time < 60; time++) turn();
  expect(hung).not.toHaveBeenCalled();
  for (let time = 0; time < 61; time++) turn();
  expect(hung.mock.calls).toEqual([['made no progress for 300 s', 'stalled']]);
});

it('a server that was itself stopped for an hour does not blame its models', () => {
  const { ready, answered, hung, ask } = watched();
  ready();
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(5000);
  answered(undefined);
  expect(ask).toHaveBeenCalledTimes(1);
  expect(hung).not.toHaveBeenCalled();
});
