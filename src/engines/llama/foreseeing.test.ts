import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type { BatchEntry } from './native.ts';
import { createScheduler, type Runtime, type Scheduler } from './scheduler.ts';
import type { Task } from './task.ts';

/** The text of every answer after the prompt, token by token. */
type Story = (position: number) => number;

/** A stand-in for llama.cpp that keeps a memory: what is chosen depends on every token before, so a wrong one shows. */
function open({ canCut = true, contextTokens = 4096 } = {}) {
  const memory = new Map<number, number[]>();
  const steps: number[][] = [];
  let shown: { sequence: number; length: number }[] = [];
  const read = ({ sequence, position, tokens }: BatchEntry) => {
    const known = memory.get(sequence) ?? [];
    expect(position).toBe(known.length);
    expect(position + tokens.length).toBeLessThanOrEqual(contextTokens);
    memory.set(sequence, [...known, ...tokens]);
    shown.push({ sequence, length: position + tokens.length });
    return shown.length - 1;
  };
  const stories = new Map<object, Story>();
  const runtime: Runtime = {
    batchTokens: 512,
    contextTokens,
    async evaluate(entries) {
      shown = [];
      steps.push(entries.map(({ tokens }) => tokens.length));
      const places = entries.map(read);
      return entries.map(({ wantsLogits }, index) => (wantsLogits ? places[index] : undefined));
    },
    async sample(place, sampler) {
      const { sequence = 0, length = 0 } = shown[place] ?? {};
      const story = stories.get(sampler.handle);
      const before = (memory.get(sequence) ?? []).slice(0, length);
      // A memory that holds anything but the story says something else.
      const isTrue = before.every((token, at) => token === story?.(at));
      return isTrue ? (story?.(length) ?? -1) : 999_999;
    },
    truncate(sequence, from) {
      if (canCut) memory.set(sequence, (memory.get(sequence) ?? []).slice(0, from));
      return canCut;
    },
    clear: (sequence) => void memory.delete(sequence),
    saveSequence: async () => undefined,
    loadSequence: async () => undefined,
  };
  const scheduler = createScheduler(runtime, { sequences: 4, scratchDirectory: tmpdir() }, () => undefined);
  return { scheduler, steps, stories };
}

type Opened = ReturnType<typeof open>;

async function tell(
  { scheduler, stories }: Pick<Opened, 'scheduler' | 'stories'>,
  story: Story,
  { promptTokens = 10, tokens = 60, foresee, seen }: Options = {},
): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  const made: number[] = [];
  const handle = {};
  stories.set(handle, story);
  const guide = foresee && {
    allowed: () => undefined,
    foresee: () => foresee(promptTokens + made.length),
    cutToFit: (found: number[]) => found,
    accept() {},
  };
  const task: Task = {
    tenant: undefined,
    prompt: Array.from({ length: promptTokens }, (_, at) => story(at)),
    leader: undefined,
    createSampler: async () => ({ handle, guide, prepare() {}, allowEnd() {}, dispose() {} }),
    accept(token) {
      made.push(token);
      seen?.(made.length, scheduler, task);
      if (made.length < tokens) return true;
      resolve(made);
      return false;
    },
    fail: reject,
    placed: () => undefined,
  };
  scheduler.submit(task);
  return promise;
}

type Options = {
  promptTokens?: number;
  tokens?: number;
  foresee?: (position: number) => number[];
  seen?: (made: number, scheduler: Scheduler, task: Task) => void;
};

const repeating: Story = (position) => 10 + (position % 7);
const fresh: Story = (position) => 1000 + position;
const told = (story: Story, tokens: number, from = 10) => Array.from({ length: tokens }, (_, i) => story(from + i));

test('an answer that repeats itself takes fewer steps and has the same tokens', async () => {
  const opened = open();
  expect(await tell(opened, repeating)).toEqual(told(repeating, 60));
  expect(opened.steps.length).toBeLessThan(20);
});

test('an answer that repeats nothing is evaluated token by token', async () => {
  const opened = open();
  expect(await tell(opened, fresh)).toEqual(told(fresh, 60));
  expect(opened.steps.length).toBe(61);
  expect(Math.max(...opened.steps.slice(1).map((entries) => entries.length))).toBe(1);
});

test('what a grammar foresees is taken as far as the model chooses it, and the rest is forgotten', async () => {
  const opened = open();
  const half = (position: number) => [fresh(position), fresh(position + 1), 5, 6];
  expect(await tell(opened, fresh, { foresee: half })).toEqual(told(fresh, 60));
  expect(opened.steps.length).toBeLessThan(30);
});

test('wrong forecasts change nothing but the work, also where a memory cannot be cut', async () => {
  for (const canCut of [true, false]) {
    const opened = open({ canCut });
    expect(await tell(opened, fresh, { foresee: () => [1, 2, 3] })).toEqual(told(fresh, 60));
  }
});

test('nothing is foreseen beyond the end of the context', async () => {
  const opened = open({ contextTokens: 40 });
  const ahead = (position: number) => told(fresh, 24, position);
  expect(await tell(opened, fresh, { tokens: 30, foresee: ahead })).toEqual(told(fresh, 30));
});

test('an answer that is cancelled amid what was foreseen accepts nothing more, and the next one works', async () => {
  const opened = open();
  const seen: number[] = [];
  const ahead = (position: number) => told(fresh, 8, position);
  void tell(opened, fresh, {
    foresee: ahead,
    seen(made, scheduler, task) {
      seen.push(made);
      if (made === 3) scheduler.cancel(task);
    },
  });
  expect(await tell(opened, fresh, { foresee: ahead })).toEqual(told(fresh, 60));
  expect(seen).toEqual([1, 2, 3]);
});

test('beside more than one other answer each gets one token in a step', async () => {
  const opened = open();
  const story =
    (index: number): Story =>
    (position) =>
      100 * index + repeating(position);
  const answers = [1, 2, 3].map((index) => tell(opened, story(index), { foresee: (at) => told(story(index), 8, at) }));
  expect(await Promise.all(answers)).toEqual([1, 2, 3].map((index) => told(story(index), 60)));
  const together = opened.steps.filter((entries) => entries.length === 3);
  expect(together.length).toBeGreaterThan(40);
});
