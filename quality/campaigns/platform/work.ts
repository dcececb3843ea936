import { z } from 'zod';
import { defineStep, defineWorkflow } from '../../../packages/workflows/src/index.ts';
import { startWorker } from '../../../packages/workflows/src/worker/index.ts';
import { answer } from '../../bench/processes/answer.ts';

// A worker in a separate process that outlives its server repeatedly.
const remember = defineStep('remember', async ({ mark }: { mark: string }) => mark);

/** Collects marks from signals until `finish`, and returns them in order. */
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
