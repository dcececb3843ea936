import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defineStep, defineWorkflow, NonRetryable } from '@tramontane/workflows';
import { z } from 'zod';

/** What both engines are given: the same file, so that every difference is an engine's. */

const add = defineStep('add', { input: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }) => a + b);

/** Counts in a file, because a step may run in any process. */
const count = defineStep('count', { retry: { maxAttempts: 4, initialIntervalMs: 20 } }, async (given: Counted) => {
  const times = record(given.file);
  if (times < given.until) throw new Error(`attempt ${times} fails`);
  return times;
});
type Counted = { file: string; until: number };

function record(file: string): number {
  appendFileSync(file, 'x');
  return readFileSync(file, 'utf8').length;
}

const give = defineStep('give', async (what: unknown) => what);
const refuse = defineStep('refuse', async (words: string) => {
  throw new NonRetryable(words);
});
const note = defineStep('note', async (file: string) => void appendFileSync(file, 'x'));
const dawdle = defineStep(
  'dawdle',
  { timeoutMs: 300, retry: { maxAttempts: 2, initialIntervalMs: 20 } },
  (_: null, step) => pause(20_000, 'late', { signal: step.signal }),
);
const untilTold = defineStep('until-told', async (file: string, step) => {
  await pause(20_000, undefined, { signal: step.signal }).catch(() => appendFileSync(file, 'stopped'));
  throw new Error('told to stop');
});
const progress = defineStep('progress', async (_: null, step) => {
  const task = step.task('download', { percent: 0 });
  task.update({ percent: 50 });
  task.complete({ percent: 100 });
  return 'done';
});

export const three = defineWorkflow(
  'three-steps',
  { input: z.object({ start: z.number() }) },
  async (ctx, { start }) => {
    const one = await ctx.step(add, { a: start, b: 1 });
    const two = await ctx.step(add, { a: one, b: 1 });
    return { sum: await ctx.step(add, { a: two, b: 1 }) };
  },
);

export const beside = defineWorkflow('side-by-side', {}, async (ctx) =>
  Promise.all([1, 2, 3, 4].map((n) => ctx.step(add, { a: n, b: n }))),
);

export const retried = defineWorkflow('retried', { input: z.object({ file: z.string() }) }, (ctx, { file }) =>
  ctx.step(count, { file, until: 3 }),
);

export const failing = defineWorkflow('failing', { input: z.object({ file: z.string() }) }, async (ctx, { file }) =>
  ctx.step(count, { file, until: 100 }, { retry: { maxAttempts: 2, initialIntervalMs: 20 } }),
);

export const refused = defineWorkflow('refused', {}, (ctx) => ctx.step(refuse, 'no such account'));

export const throwing = defineWorkflow('throwing', {}, async (): Promise<string> => {
  throw new RangeError('the code itself is wrong');
});

export const slow = defineWorkflow('slow-step', {}, async (ctx) => {
  try {
    return await ctx.step(dawdle, null);
  } catch (error) {
    return { caught: (error as Error).message, name: (error as Error).name };
  }
});

export const timer = defineWorkflow('timer', {}, async (ctx) => {
  const before = ctx.now().getTime();
  await ctx.sleep(150);
  const waited = ctx.now().getTime() - before;
  const met = await ctx.waitFor(() => false, { timeoutMs: 50 });
  return { isLate: waited >= 150, met };
});

export const guess = defineWorkflow('chance', {}, async (ctx) => {
  const first = [ctx.random(), ctx.uuid(), ctx.now().getTime()];
  await ctx.sleep(10);
  return { first, isNumber: typeof first[0] === 'number', uuid: first[1] };
});

export const talker = defineWorkflow(
  'talker',
  {
    signals: { say: z.object({ words: z.string() }), stop: z.object({}) },
    queries: { heard: { output: z.array(z.string()) }, broken: {} },
    updates: {
      rename: { input: z.object({ name: z.string() }), output: z.object({ was: z.string() }) },
      work: { input: z.object({ a: z.number() }), output: z.number() },
    },
  },
  async (ctx) => {
    const heard: string[] = [];
    let name = 'nobody';
    let isOver = false;
    ctx.onSignal('say', ({ words }) => void heard.push(words));
    ctx.onSignal('stop', () => {
      isOver = true;
    });
    ctx.onQuery('heard', () => heard);
    ctx.onQuery('broken', () => {
      throw new Error('cannot be read');
    });
    ctx.onUpdate('rename', (update) => {
      if (update.name === '') throw new Error('a name is needed');
      const was = name;
      name = update.name;
      return { was };
    });
    ctx.onUpdate('work', ({ a }) => ctx.step(add, { a, b: 1 }));
    await ctx.waitFor(() => isOver);
    return { heard, name };
  },
);

export const receiver = defineWorkflow('receiver', { signals: { item: z.object({ n: z.number() }) } }, async (ctx) => {
  const first = await ctx.receive('item');
  const second = await ctx.receive('item');
  const none = await ctx.receive('item', { timeoutMs: 20 });
  return { first, second, none: none ?? null };
});

export const cleaner = defineWorkflow('cleaner', { input: z.object({ file: z.string() }) }, async (ctx, { file }) => {
  try {
    await ctx.sleep(600_000);
    return 'slept';
  } finally {
    await ctx.nonCancellable(() => ctx.step(note, file));
  }
});

export const stopper = defineWorkflow('stopper', { input: z.object({ file: z.string() }) }, (ctx, { file }) =>
  ctx.step(untilTold, file),
);

export const survivor = defineWorkflow('survivor', {}, async (ctx) => {
  try {
    await ctx.sleep(600_000);
  } catch (error) {
    return { caught: (error as Error).name };
  }
  return 'slept';
});

export const sleeper = defineWorkflow('sleeper', { searchKeys: ['who'] }, async (ctx) => {
  ctx.setSearchKeys({ mood: 'sleepy' });
  await ctx.sleep(600_000);
});

export const brief = defineWorkflow('brief', { executionTimeoutMs: 1000 }, (ctx) => ctx.sleep(600_000));

export const parent = defineWorkflow('parent', { input: z.object({ how: z.string() }) }, async (ctx, { how }) => {
  if (how === 'failing') {
    try {
      await ctx.child(throwing, {});
      return 'no error';
    } catch (error) {
      return { name: (error as Error).name, message: (error as Error).message };
    }
  }
  if (how === 'unknown') return ctx.child('nobody-has-this', {}).catch((error: Error) => error.message);
  if (how === 'started') {
    const child = await ctx.startChild(talker, {}, { executionId: `${ctx.info.executionId}-child` });
    await ctx.signal(child.executionId, 'say', { words: 'from the parent' });
    await ctx.signal(child.executionId, 'stop', {});
    return { id: child.executionId };
  }
  if (how === 'nobody') return ctx.signal('no-such-execution', 'say', {}).catch((error: Error) => error.name);
  return ctx.child(three, { start: 10 });
});

export const rounds = defineWorkflow(
  'rounds',
  { input: z.object({ left: z.number(), sum: z.number() }) },
  async (ctx, input) => {
    const sum = await ctx.step(add, { a: input.sum, b: input.left });
    if (input.left === 0) return { sum };
    return ctx.continueAsNew({ left: input.left - 1, sum });
  },
);

export const asks = defineWorkflow('asks', {}, async (ctx) => {
  const given = await ctx.waitForInput(z.object({ approved: z.boolean() }), 'May it?');
  return { approved: given.approved };
});

export const shows = defineWorkflow('shows', {}, async (ctx) => {
  const task = ctx.task('steps', { done: 0 });
  const said = await ctx.step(progress, null);
  task.update({ done: 1 });
  task.complete();
  return said;
});

export const local = defineWorkflow('local', {}, async (ctx) => {
  const sum = await ctx.local(add, { a: 2, b: 3 });
  const error = await ctx.local(refuse, 'not here').catch((failure: Error) => failure.message);
  return { sum, error };
});

export const large = defineWorkflow('large', { input: z.object({ text: z.string() }) }, async (ctx, { text }) => {
  const back = (await ctx.step(give, text)) as string;
  return { characters: back.length, text: back };
});

export const speaks = defineWorkflow('speaks', {}, async (ctx) => {
  ctx.log.info('hello from the workflow', { n: 1 });
  return ctx.patched('newer') ? ctx.info.workflow : 'old';
});

export const inTime = defineWorkflow('in-time', { input: z.object({ file: z.string() }) }, async (ctx, { file }) => {
  try {
    return await ctx.withTimeout(100, () => ctx.sleep(600_000));
  } catch (error) {
    await ctx.step(note, file);
    return { name: (error as Error).name };
  }
});
