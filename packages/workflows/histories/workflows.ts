import { z } from 'zod';
import { defineStep } from '../src/define-step.ts';
import { defineWorkflow } from '../src/define-workflow.ts';

/**
 * The code of the recorded histories. Never change it: a package that replays them differently would break running
 * executions. Add a new workflow for new features.
 */
const add = defineStep('recorded-add', async ({ a, b }: { a: number; b: number }) => a + b);
const fail = defineStep('recorded-fail', { retry: { maxAttempts: 2, initialIntervalMs: 1 } }, async () => {
  throw new Error('it never works');
});
const wait = defineStep('recorded-wait', async (_: unknown, step) => {
  await new Promise((resolve) => step.signal.addEventListener('abort', resolve));
});
export const steps = [add, fail, wait];

const sequence = defineWorkflow('recorded-sequence', {}, async (ctx) => {
  let sum = 0;
  for (let round = 1; round <= 4; round++) sum = await ctx.step(add, { a: sum, b: round });
  await ctx.sleep(1);
  return { sum, id: ctx.uuid(), chance: ctx.random() };
});

const everything = defineWorkflow(
  'recorded-everything',
  {
    signals: { go: z.object({ word: z.string() }) },
    queries: { state: {} },
    updates: { bump: { input: z.object({ by: z.number() }) } },
  },
  async (ctx) => {
    let state = 'begun';
    let bumps = 0;
    ctx.onQuery('state', () => state);
    ctx.onUpdate('bump', async ({ by }) => {
      bumps = await ctx.step(add, { a: bumps, b: by });
      return bumps;
    });
    const task = ctx.task('progress', { state });
    const sums = await Promise.all([1, 2, 3].map((n) => ctx.step(add, { a: n, b: n })));
    const local = await ctx.local(add, { a: 20, b: 1 });
    const failed = await ctx.step(fail).catch((error: Error) => error.message);
    state = 'waits';
    task.update({ state });
    const { word } = await ctx.receive('go');
    const isBumped = await ctx.waitFor(() => bumps > 0, { timeoutMs: 60_000 });
    const late = await ctx.withTimeout(1, () => ctx.step(wait)).catch((error: Error) => error.name);
    const patched = ctx.patched('first-patch');
    const child = await ctx.child(sequence, {});
    const answer = await ctx.waitForInput(z.object({ ok: z.boolean() }), 'Fine?');
    ctx.setSearchKeys({ word });
    task.complete();
    return { sums, local, failed, word, isBumped, late, patched, child, ok: answer.ok, state };
  },
);

const cancelled = defineWorkflow('recorded-cancelled', {}, async (ctx) => {
  try {
    await Promise.race([ctx.step(wait), ctx.sleep(60_000)]);
  } finally {
    await ctx.nonCancellable(() => ctx.step(add, { a: 1, b: 1 }));
  }
});

const renewed = defineWorkflow('recorded-renewed', { input: z.object({ left: z.number() }) }, async (ctx, { left }) => {
  const next = await ctx.step(add, { a: left, b: -1 });
  if (next > 0) ctx.continueAsNew({ left: next });
  return ctx.uuid();
});

export const workflows = [sequence, everything, cancelled, renewed];
