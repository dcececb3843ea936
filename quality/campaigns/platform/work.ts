import { z } from 'zod';
import { defineStep, defineWorkflow } from '../../../packages/workflows/src/index.ts';
import { startWorker } from '../../../packages/workflows/src/worker/index.ts';
import { answer } from '../../bench/processes/answer.ts';

// A worker in a process of its own that outlives its server again and again.
const remember = defineStep('remember', async ({ mark }: { mark: string }) => mark);

/** Collects what it is told until it is told to end, and returns all of it in its order. */
const collect = defineWorkflow(
  'collect',
  { signals: { add: z.object({ mark: z.string() }), finish: z.object({}) } },
  async (ctx, input) => {
    const told: string[] = [];
    let isFinished = false;
    ctx.onSignal('add', ({ mark }) => {
      told.push(mark);
    });
    ctx.onSignal('finish', () => {
      isFinished = true;
    });
    const first = await ctx.step(remember, input as { mark: string });
    await ctx.waitFor(() => isFinished);
    return [first, ...told];
  },
);

const [url = '', apiKey = ''] = process.argv.slice(2);
await startWorker({ url, apiKey, name: 'survivor', workflows: [collect], steps: [remember] });
answer({ ready: () => true });
