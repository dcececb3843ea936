import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Advance } from '../protocol.ts';
import type { Api, Sized } from './api.ts';
import { createSender } from './sender.ts';

const ANSWER = { status: 'ok', last_event_id: 1, first_command_event_id: 1, granted: [], lease_until_ms: 1 } as const;

/** A server that answers when the test says so; `sizes` has the number of turns of each request. */
function openServer() {
  const sizes: number[] = [];
  const bases: number[][] = [];
  const answers: (() => void)[] = [];
  const post = (_path: string, body: string): Promise<Sized<unknown>> => {
    const { advances } = JSON.parse(body) as { advances: { base: number }[] };
    sizes.push(advances.length);
    bases.push(advances.map(({ base }) => base));
    return new Promise((resolve) => {
      answers.push(() => resolve({ data: { advances: advances.map(() => ANSWER), steps: [] }, characters: 10 }));
    });
  };
  const api = { post } as unknown as Api;
  const identity = { deployment_name: 'default', worker_name: 'one' };
  const sender = createSender({ api, identity, signal: new AbortController().signal });
  let made = 0;
  const advance = (run_id = `run-${++made}`, base = 0) =>
    sender.advance({ run_id, base, commands: [] } as unknown as Advance);
  return { sizes, bases, answers, advance, sender };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('sends the turns of one tick together, and a single one at once', async () => {
  const { sizes, advance } = openServer();
  void advance();
  void advance();
  await vi.advanceTimersByTimeAsync(0);
  expect(sizes).toEqual([2]);
});

it('sends what came during a request together, as soon as that one is answered', async () => {
  const { sizes, answers, advance, sender } = openServer();
  const first = advance();
  await vi.advanceTimersByTimeAsync(0);
  const others = [advance(), advance(), advance()];
  await vi.advanceTimersByTimeAsync(5);
  expect(sizes).toEqual([1]);
  answers[0]?.();
  await first;
  await vi.advanceTimersByTimeAsync(0);
  expect(sizes).toEqual([1, 3]);
  answers[1]?.();
  expect(await Promise.all(others)).toHaveLength(3);
  await sender.idle();
});

it('does not let a slow request hold up other turns for more than ten milliseconds', async () => {
  const { sizes, advance } = openServer();
  void advance();
  await vi.advanceTimersByTimeAsync(0);
  void advance();
  await vi.advanceTimersByTimeAsync(9);
  expect(sizes).toEqual([1]);
  await vi.advanceTimersByTimeAsync(2);
  expect(sizes).toEqual([1, 1]);
});

it('sends the turns of one run in order: those that come during a request wait for its answer', async () => {
  const { bases, answers, advance, sender } = openServer();
  void advance('a', 1);
  void advance('a', 2);
  await vi.advanceTimersByTimeAsync(0);
  void advance('a', 3);
  void advance('b', 10);
  void advance('a', 4);
  await vi.advanceTimersByTimeAsync(20);
  expect(bases).toEqual([[1, 2], [10]]);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(20);
  expect(bases).toEqual([[1, 2], [10], [3, 4]]);
  answers[1]?.();
  answers[2]?.();
  await sender.idle();
});

it('keeps that order when a batch is full', async () => {
  const { bases, answers, advance } = openServer();
  for (let base = 1; base <= 300; base++) void advance('a', base);
  await vi.advanceTimersByTimeAsync(20);
  expect(bases.map(({ length }) => length)).toEqual([256]);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(20);
  expect(bases.flat()).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
});
