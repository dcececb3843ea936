import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createScheduler, type Runtime, type Task } from './scheduler.ts';

const scratchDirectory = mkdtempSync(join(tmpdir(), 'tramontane-scheduler-'));
afterAll(() => rmSync(scratchDirectory, { recursive: true }));

const prompt = (length: number, first = 1) => Array.from({ length }, (_, i) => first + i);
const TOKEN = 7;

/** A stand-in for llama.cpp at the border: it notes what it is asked to do and always says the same token. */
function open(sequences: number) {
  const calls = { evaluated: 0, steps: 0, saved: 0, loaded: 0, cleared: 0 };
  let failNext = false;
  const runtime: Runtime = {
    batchTokens: 512,
    async evaluate(entries) {
      calls.steps++;
      if (failNext) {
        failNext = false;
        throw new Error('broken');
      }
      calls.evaluated += entries.reduce((sum, { tokens }) => sum + tokens.length, 0);
      return entries.map(({ wantsLogits }, place) => (wantsLogits ? place : undefined));
    },
    sample: async () => TOKEN,
    truncate: () => true,
    clear: () => void calls.cleared++,
    saveSequence: async () => void calls.saved++,
    loadSequence: async () => void calls.loaded++,
  };
  const scheduler = createScheduler(runtime, { sequences, scratchDirectory }, () => undefined);
  return { calls, scheduler, failNext: () => (failNext = true) };
}

/** An answer of so many tokens. */
function answer(tokens: number, asked: number[], changes: { leader?: Task; seen?: (made: number) => void } = {}) {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const state = { made: 0, cached: -1, disposed: 0 };
  const task: Task = {
    prompt: asked,
    leader: changes.leader,
    sampler: { handle: {}, allowEnd: () => undefined, dispose: () => void state.disposed++ },
    accept() {
      state.made++;
      changes.seen?.(state.made);
      if (state.made < tokens) return true;
      resolve();
      return false;
    },
    fail: reject,
    placed: (cachedTokens) => (state.cached = cachedTokens),
  };
  return { task, state, ended };
}

test('several answers to one prompt evaluate it once and copy it', async () => {
  const { calls, scheduler } = open(4);
  const leader = answer(1, prompt(200));
  const followers = [1, 2].map(() => answer(1, prompt(200), { leader: leader.task }));
  for (const { task } of [leader, ...followers]) scheduler.submit(task);
  await Promise.all([leader, ...followers].map(({ ended }) => ended));
  expect(calls).toMatchObject({ evaluated: 200 + 2, saved: 1, loaded: 2 });
});

test('a prompt that begins like an earlier one evaluates only what is new', async () => {
  const { calls, scheduler } = open(2);
  const first = answer(1, prompt(100));
  scheduler.submit(first.task);
  await first.ended;
  const second = answer(1, [...prompt(100), 900, 901]);
  scheduler.submit(second.task);
  await second.ended;
  expect(second.state.cached).toBe(100);
  expect(calls.evaluated).toBe(102);
});

test('every running answer gets a token in every step, so none is kept behind', async () => {
  const { scheduler } = open(8);
  const others: number[] = [];
  const answers = Array.from({ length: 8 }, (_, i) =>
    answer(20, prompt(5, 100 * i), {
      seen(made) {
        if (made === 20 && others.length === 0) others.push(...answers.map(({ state }) => state.made));
      },
    }),
  );
  for (const { task } of answers) scheduler.submit(task);
  await Promise.all(answers.map(({ ended }) => ended));
  // The first to come is alone for a step or two.
  expect(Math.min(...others)).toBeGreaterThanOrEqual(18);
});

test('a cancelled answer ends with the step at hand, and its sequence goes to who waits', async () => {
  const { scheduler } = open(1);
  const endless = answer(Number.POSITIVE_INFINITY, prompt(10), {
    seen: (made) => {
      if (made === 3) scheduler.cancel(endless.task);
    },
  });
  const waiting = answer(1, prompt(10, 50));
  const left = answer(1, prompt(10, 90));
  for (const { task } of [endless, waiting, left]) scheduler.submit(task);
  scheduler.cancel(left.task);
  await waiting.ended;
  expect(endless.state).toMatchObject({ made: 3, disposed: 1 });
  expect(left.state).toMatchObject({ made: 0, disposed: 1 });
});

test('those who wait are served in the order in which they came', async () => {
  const { scheduler } = open(1);
  const order: number[] = [];
  const answers = Array.from({ length: 5 }, (_, i) =>
    answer(2, prompt(5, 10 * i), { seen: (made) => made === 2 && order.push(i) }),
  );
  for (const { task } of answers) scheduler.submit(task);
  await Promise.all(answers.map(({ ended }) => ended));
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test('an evaluation that fails ends its answers, forgets what they left, and the next one works', async () => {
  const { calls, scheduler, failNext } = open(1);
  failNext();
  const broken = answer(1, prompt(10));
  scheduler.submit(broken.task);
  await expect(broken.ended).rejects.toThrow('broken');
  const next = answer(1, prompt(10));
  scheduler.submit(next.task);
  await next.ended;
  expect(next.state.cached).toBe(0);
  expect(calls.cleared).toBeGreaterThan(0);
});

test('the step at hand has a number while there is work, and each has its own', async () => {
  const { scheduler } = open(1);
  expect(scheduler.stepInHand()).toBeUndefined();
  const numbers: (number | undefined)[] = [];
  const three = answer(3, prompt(1), { seen: () => numbers.push(scheduler.stepInHand()) });
  scheduler.submit(three.task);
  await three.ended;
  expect(new Set(numbers).size).toBe(3);
  expect(numbers).not.toContain(undefined);
});
