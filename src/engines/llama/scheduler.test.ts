import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Tenant } from '../../kit/fair-queue/index.ts';
import { createScheduler, type Runtime, type SchedulerOptions } from './scheduler.ts';
import type { Task } from './task.ts';

const scratchDirectory = mkdtempSync(join(tmpdir(), 'tramontane-scheduler-'));
afterAll(() => rmSync(scratchDirectory, { recursive: true }));

const prompt = (length: number, first = 1) => Array.from({ length }, (_, i) => first + i);
const TOKEN = 7;

/** A stand-in for llama.cpp at the border: it notes what it is asked to do and always says the same token. */
function open(sequences: number, options: Partial<SchedulerOptions & { sample: Runtime['sample'] }> = {}) {
  const { sample = async () => TOKEN, ...settings } = options;
  const calls = { evaluated: 0, steps: 0, saved: 0, loaded: 0, cleared: 0 };
  let failNext = false;
  const runtime: Runtime = {
    batchTokens: 512,
    contextTokens: 4096,
    async evaluate(entries) {
      calls.steps++;
      if (failNext) {
        failNext = false;
        throw new Error('broken');
      }
      calls.evaluated += entries.reduce((sum, { tokens }) => sum + tokens.length, 0);
      return entries.map(({ wantsLogits }, place) => (wantsLogits ? place : undefined));
    },
    sample,
    truncate: () => true,
    clear: () => void calls.cleared++,
    saveSequence: async () => void calls.saved++,
    loadSequence: async () => void calls.loaded++,
  };
  const scheduler = createScheduler(runtime, { sequences, scratchDirectory, ...settings }, () => undefined);
  return { calls, scheduler, failNext: () => (failNext = true) };
}

type Changes = { leader?: Task; tenant?: Tenant; workspace?: string; seen?: (made: number) => void };

/** An answer of so many tokens. */
function answer(tokens: number, asked: number[], changes: Changes = {}) {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const state = { made: 0, cached: -1, disposed: 0 };
  const task: Task = {
    prompt: asked,
    leader: changes.leader,
    tenant: changes.tenant,
    workspace: changes.workspace,
    createSampler: async () => ({
      handle: {},
      prepare: () => undefined,
      allowEnd: () => undefined,
      dispose: () => void state.disposed++,
    }),
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
  expect(left.state).toMatchObject({ made: 0, disposed: 0 });
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

const tenant = (organization: string, key = 'k'): Tenant => ({ organization, key });

test('organizations take turns, and within one its keys, however many requests one of them sent first', async () => {
  const { scheduler } = open(1);
  const order: string[] = [];
  const send = (organization: string, key: string) => {
    const name = `${organization}${key}`;
    const sent = answer(1, prompt(5), { tenant: tenant(organization, key), seen: () => order.push(name) });
    scheduler.submit(sent.task);
    return sent.ended;
  };
  const many = ['a', 'a', 'a', 'a', 'b', 'b'].map((key) => send('A', key));
  await Promise.all([...many, send('B', 'c'), send('B', 'c'), send('C', 'd')]);
  expect(order).toEqual(['Aa', 'Bc', 'Cd', 'Ab', 'Bc', 'Aa', 'Ab', 'Aa', 'Aa']);
});

test('an organization with every sequence gives some back to one that comes later, and loses no token', async () => {
  const { scheduler } = open(4, { limits: { turnMs: 0 } });
  const order: string[] = [];
  const long = Array.from({ length: 4 }, (_, i) =>
    answer(40, prompt(5, 10 * i), { tenant: tenant('A'), seen: (made) => made === 40 && order.push('A') }),
  );
  for (const { task } of long) scheduler.submit(task);
  const late = Array.from({ length: 2 }, (_, i) =>
    answer(10, prompt(5, 100 * i), { tenant: tenant('B'), seen: (made) => made === 10 && order.push('B') }),
  );
  for (const { task } of late) scheduler.submit(task);
  await Promise.all([...long, ...late].map(({ ended }) => ended));
  expect(order).toEqual(['B', 'B', 'A', 'A', 'A', 'A']);
  expect(long.map(({ state }) => [state.made, state.disposed])).toEqual(long.map(() => [40, 1]));
});

test('an answer whose tokens take long to choose rests while the others go on', async () => {
  const slow = { handle: {}, prepare: () => undefined, allowEnd: () => undefined, dispose: () => undefined };
  const { scheduler } = open(2, {
    limits: { restAfterMs: 5 },
    sample: async (_, sampler) => {
      if (sampler === slow) await new Promise((resolve) => setTimeout(resolve, 20));
      return TOKEN;
    },
  });
  const hindered = answer(5, prompt(5));
  const others: number[] = [];
  const fast = answer(200, prompt(5, 50), { seen: () => others.push(hindered.state.made) });
  scheduler.submit({ ...hindered.task, createSampler: async () => slow });
  scheduler.submit(fast.task);
  await Promise.all([hindered.ended, fast.ended]);
  expect(others.filter((made) => made < 5).length).toBeGreaterThan(20);
});

test('choosing a token without end is refused within its limit, and the process is asked to end', async () => {
  const { promise: stuck, resolve } = Promise.withResolvers<string>();
  let isFree = false;
  const { scheduler } = open(1, {
    limits: { tokenMsMax: 300 },
    stuck: resolve,
    // Time of the processor counts, so the stand-in has to use some.
    async sample() {
      while (!isFree) {
        for (const end = performance.now() + 20; performance.now() < end; );
        await new Promise((next) => setImmediate(next));
      }
      return TOKEN;
    },
  });
  const endless = answer(5, prompt(5));
  scheduler.submit(endless.task);
  await expect(endless.ended).rejects.toMatchObject({ code: 'grammar_too_slow' });
  expect(await stuck).toMatch(/choosing one token took \d+ ms/);
  isFree = true;
});

test('each token of a prompt is measured once, in order, also when its sequence is given back meanwhile', async () => {
  const { scheduler } = open(2, { limits: { turnMs: 0 } });
  const order: string[] = [];
  const measured = [0, 1000].map((first) => {
    const seen: number[] = [];
    const one = answer(9, prompt(90, first), { tenant: tenant('A'), seen: (made) => made === 9 && order.push('A') });
    one.task.promptMeter = { measured: 0, take: ({ token }) => void seen.push(token) };
    const { createSampler } = one.task;
    const measure = async (_place: number, token: number) => ({ token, logprob: -1, top: [] });
    one.task.createSampler = async () => ({ ...(await createSampler()), measure });
    return { ...one, seen, first };
  });
  const others = [2000, 3000].map((first) =>
    answer(2, prompt(90, first), { tenant: tenant('B'), seen: (made) => made === 2 && order.push('B') }),
  );
  for (const { task } of [...measured, ...others]) scheduler.submit(task);
  await Promise.all([...measured, ...others].map(({ ended }) => ended));
  for (const { seen, first } of measured) expect(seen).toEqual(prompt(89, first + 1));
  // One of A's gave its sequence back, or B would have waited for the end of both.
  expect(order.indexOf('B')).toBeLessThan(order.lastIndexOf('A'));
});
