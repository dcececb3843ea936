import { writeFileSync } from 'node:fs';
import { setTimeout as later } from 'node:timers';
import { defineStep, defineWorkflow } from '../../packages/workflows/src/index.ts';
import { startWorker } from '../../packages/workflows/src/worker/index.ts';

// A worker in a process of its own, with workflows and steps that end it.
const unlimited = { maxAttempts: 0, initialIntervalMs: 1 };
const exits = defineStep('exits', { retry: unlimited }, async () => process.exit(9));
const exitsLater = defineStep(
  'exits-later',
  { retry: unlimited, timeoutMs: 500 },
  () => new Promise(() => later(() => process.exit(9), 50)),
);
const exitsOnce = defineStep('exits-once', { retry: false }, async () => process.exit(9));
const slow = defineStep('slow', (ms: number) => new Promise<string>((resolve) => later(() => resolve('slow'), ms)));

const allocate = () => {
  for (const kept: number[][] = []; ; ) kept.push(new Array(1_000_000).fill(1));
};

const deadly = [
  defineWorkflow('exits', {}, async () => process.exit(9)),
  defineWorkflow('aborts', {}, async () => process.abort()),
  defineWorkflow('allocates', {}, async () => allocate()),
  defineWorkflow('runs-exits', {}, async (ctx) => ctx.step(exits)),
  defineWorkflow('runs-exits-later', {}, async (ctx) => ctx.step(exitsLater)),
  defineWorkflow('runs-exits-once', {}, async (ctx) => ctx.step(exitsOnce).catch((error: Error) => error.message)),
];
const fine = defineWorkflow('fine', {}, async (ctx, input) => ctx.step(slow, (input as { ms?: number }).ms ?? 1));

const sleeps = defineWorkflow('sleeps', {}, async (ctx) => ctx.sleep(3_600_000));

const [url = '', apiKey = '', name = ''] = process.argv.slice(2);
const workflows = [...deadly, fine, sleeps];
await startWorker({ url, apiKey, name, workflows, steps: [exits, exitsLater, exitsOnce, slow] });
writeFileSync(1, 'ready\n');
