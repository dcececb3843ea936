import { defineStep, defineWorkflow } from '../../../packages/workflows/src/index.ts';
import { startWorker, type Worker } from '../../../packages/workflows/src/worker/index.ts';
import { answer } from './answer.ts';

// A worker in a process of its own, as users run it.
const add = defineStep('add', async ({ a, b }: { a: number; b: number }) => a + b);

const threeSteps = defineWorkflow('three-steps', {}, async (ctx) => {
  const one = await ctx.step(add, { a: 1, b: 2 });
  const two = await ctx.step(add, { a: one, b: 3 });
  return ctx.step(add, { a: two, b: 4 });
});

const sleeper = defineWorkflow('sleeper', { executionTimeoutMs: 86_400_000 }, async (ctx) => {
  await ctx.sleep(3_600_000);
});

const busy = defineWorkflow('busy', {}, async (ctx, input) => {
  const { updates } = input as { updates: number };
  const task = ctx.task<{ done: number }>('progress', { done: 0 });
  for (let i = 1; i <= updates; i++) {
    task.update({ done: i });
    await ctx.step(add, { a: i, b: 1 });
  }
  task.complete();
});

let worker: Worker | undefined;

answer({
  start: async ({ port, key }: { port: number; key: string }) => {
    worker = await startWorker({
      url: `http://127.0.0.1:${port}`,
      apiKey: key,
      workflows: [threeSteps, sleeper, busy],
      steps: [add],
    });
  },
  status: () => worker?.status(),
});
