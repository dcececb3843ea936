import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NonRetryable } from '../../packages/workflows/src/index.ts';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import {
  ask,
  begin,
  defineStep,
  defineWorkflow,
  endOf,
  execute,
  historyOf,
  listEvents,
  workFor,
} from './work-for-tests.ts';

let attempts = 0;
let tidied = 0;

const add = defineStep('add', async ({ a, b }: { a: number; b: number }) => a + b);
const shaky = defineStep('shaky', { retry: { maxAttempts: 3, initialIntervalMs: 10 } }, async (_: unknown, step) => {
  attempts++;
  if (step.attempt < 3) throw new Error(`attempt ${step.attempt}`);
  return step.attempt;
});
const hopeless = defineStep('hopeless', async () => {
  throw new NonRetryable('the card is blocked');
});
const endless = defineStep('endless', async (_: unknown, step) => {
  await new Promise((resolve) => step.signal.addEventListener('abort', resolve));
  throw step.signal.reason;
});
const tidy = defineStep('tidy', async () => {
  tidied++;
});
const upload = defineStep('upload', async (_: unknown, step) => {
  const task = step.task('progress', { percent: 0 });
  task.update({ percent: 50 });
  task.complete({ percent: 100 });
});
const trace = defineStep('trace', async (_: unknown, step) => step.traceparent.split('-')[1] ?? '');
const steps = [add, shaky, hopeless, endless, tidy, upload, trace];

const sums = defineWorkflow('sums', {}, async (ctx) => {
  const one = await ctx.step(add, { a: 1, b: 2 });
  const two = await ctx.step(add, { a: one, b: 3 });
  return ctx.step(add, { a: two, b: 4 });
});
const parallel = defineWorkflow('parallel', {}, async (ctx) => {
  const sums = await Promise.all([1, 2, 3, 4, 5].map((a) => ctx.step(add, { a, b: a })));
  return sums.concat(await ctx.local(add, { a: 10, b: 20 }));
});
const retried = defineWorkflow('retried', {}, (ctx) => ctx.step(shaky));
const refused = defineWorkflow('refused', {}, (ctx) => ctx.step(hopeless));
const naps = defineWorkflow('naps', {}, async (ctx) => {
  const before = Date.now();
  await ctx.sleep(20);
  return { sleptMs: Date.now() - before, sameClock: ctx.now().toISOString() === new Date().toISOString() };
});
const counter = defineWorkflow(
  'counter',
  {
    signals: { add: z.object({ by: z.number() }) },
    queries: { total: { output: z.number() } },
    updates: { double: { input: z.object({ times: z.number() }), output: z.object({ total: z.number() }) } },
  },
  async (ctx) => {
    let total = 0;
    ctx.onSignal('add', ({ by }) => {
      total += by;
    });
    ctx.onQuery('total', () => total);
    ctx.onUpdate('double', async ({ times }) => {
      for (let round = 0; round < times; round++) total = await ctx.step(add, { a: total, b: total });
      return { total };
    });
    await ctx.waitFor(() => total > 100);
    return total;
  },
);
const family = defineWorkflow('family', {}, async (ctx) => {
  const side = await ctx.startChild(counter, {});
  const result = await ctx.child(sums, {});
  await ctx.signal(side.executionId, 'add', { by: 101 });
  return { result, side: side.executionId };
});
const again = defineWorkflow('again', { input: z.object({ n: z.number() }) }, async (ctx, { n }) => {
  const sum = await ctx.step(add, { a: n, b: 1 });
  if (n < 3) ctx.continueAsNew({ n: sum });
  return sum;
});
const booking = defineWorkflow('booking', {}, async (ctx) => {
  try {
    await ctx.step(endless);
  } finally {
    await ctx.nonCancellable(() => ctx.step(tidy));
  }
});
const question = defineWorkflow('question', {}, async (ctx) => {
  await ctx.task('progress', { at: 'start' }, async (task) => task.update({ at: 'starting' }));
  await ctx.step(upload);
  const answer = await ctx.waitForInput(z.object({ approved: z.boolean() }), 'May I?');
  return answer.approved;
});
const fetching = defineWorkflow('fetching', {}, async () => {
  await new Promise((resolve) => process.nextTick(() => process.nextTick(() => process.nextTick(resolve))));
  await new Promise(() => undefined);
});
const traced = defineWorkflow('traced', {}, async (ctx) => [await ctx.step(trace), await ctx.local(trace)]);
const tracing = defineWorkflow('tracing', {}, async (ctx) => [await ctx.step(trace), await ctx.child(traced, {})]);
const workflows = [
  ...[sums, parallel, retried, refused, naps, counter, family],
  ...[again, booking, question, fetching, traced, tracing],
];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
  await workFor(server, workflows, steps);
});

describe('a workflow', () => {
  it('runs its steps one after the other and returns its result', async () => {
    expect(await execute(server, 'sums')).toBe(10);
  });

  it('runs steps side by side, and local ones within a turn', async () => {
    expect(await execute(server, 'parallel')).toEqual([2, 4, 6, 8, 10, 30]);
  });

  it('puts all steps of a tree of executions into one trace, local ones of children too', async () => {
    const [root, ofChild] = (await execute(server, 'tracing')) as [string, string[]];
    expect(root).toMatch(/^[0-9a-f]{32}$/);
    expect(ofChild).toEqual([root, root]);
  });

  it('has steps tried again by their policy, and goes on with the attempt that succeeds', async () => {
    expect(await execute(server, 'retried')).toBe(3);
    expect(attempts).toBe(3);
  });

  it('fails with the words of a step that cannot succeed', async () => {
    const id = await begin(server, 'refused');
    expect(await endOf(server, id)).toMatchObject({ status: 'FAILED' });
    const failed = (await listEvents(server, id)).find(({ event_type }) => event_type === 'WORKFLOW_EXECUTION_FAILED');
    expect(JSON.stringify(failed?.attributes)).toContain('the card is blocked');
  });

  it('sleeps, and has one clock however it asks for the time', async () => {
    const { sleptMs, sameClock } = (await execute(server, 'naps')) as { sleptMs: number; sameClock: boolean };
    expect(sleptMs).toBeGreaterThanOrEqual(20);
    expect(sameClock).toBe(true);
  });

  it('hears signals, answers queries and takes updates', async () => {
    const id = await begin(server, 'counter');
    expect(await ask(server, id, 'signals', { name: 'add', input: { by: 3 } })).toMatchObject({ status: 202 });
    const doubled = await ask(server, id, 'updates', { name: 'double', input: { times: 2 } });
    expect(doubled.body).toMatchObject({ update_name: 'double', result: { total: 12 } });
    expect((await ask(server, id, 'queries', { name: 'total' })).body).toMatchObject({ result: 12 });
    await ask(server, id, 'signals', { name: 'add', input: { by: 100 } });
    expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED', result: 112 });
    expect((await ask(server, id, 'queries', { name: 'total' })).body).toMatchObject({ result: 112 });
  });

  it('has children it waits for, children it does not, and signals them', async () => {
    const { result, side } = (await execute(server, 'family')) as { result: number; side: string };
    expect(result).toBe(10);
    expect(await endOf(server, side)).toMatchObject({ status: 'COMPLETED', result: 101 });
  });

  it('goes on in a new run, and its caller gets the last result', async () => {
    expect(await execute(server, 'again', { n: 1 })).toBe(4);
  });

  it('cleans up when it is cancelled, and its running step is told to stop', async () => {
    const id = await begin(server, 'booking');
    await historyOf(server, id, 'ACTIVITY_TASK_SCHEDULED');
    expect((await call(server, `/v1/workflows/executions/${id}/cancel`, { method: 'POST' })).status).toBe(204);
    expect(await endOf(server, id)).toMatchObject({ status: 'CANCELED' });
    expect(tidied).toBe(1);
  });

  it('shows progress, and waits for what a person answers', async () => {
    const id = await begin(server, 'question');
    await historyOf(server, id, 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES');
    const { body } = await ask(server, id, 'queries', { name: '__get_pending_inputs' });
    const [{ task_id, label } = { task_id: '', label: '' }] = (
      body as { result: { pending_inputs: { task_id: string; label: string }[] } }
    ).result.pending_inputs;
    expect(label).toBe('May I?');
    const wrong = await ask(server, id, 'updates', {
      name: '__submit_input',
      input: { task_id, input: { approved: 1 } },
    });
    expect(wrong.status).toBe(409);
    await ask(server, id, 'updates', { name: '__submit_input', input: { task_id, input: { approved: true } } });
    expect(await endOf(server, id)).toMatchObject({ status: 'COMPLETED', result: true });
    const events = await listEvents(server, id);
    const custom = events.filter(({ event_type }) => event_type.startsWith('CUSTOM_TASK'));
    expect(custom.map(({ event_type, attributes }) => [attributes.custom_task_type, event_type.slice(12)])).toEqual([
      ['progress', 'STARTED'],
      ['progress', 'IN_PROGRESS'],
      ['progress', 'COMPLETED'],
      ['progress', 'STARTED'],
      ['progress', 'IN_PROGRESS'],
      ['progress', 'COMPLETED'],
      ['wait_for_input', 'STARTED'],
      ['wait_for_input', 'COMPLETED'],
    ]);
    const names = events.map(({ event_type }) => event_type);
    expect(names.indexOf('ACTIVITY_TASK_COMPLETED')).toBeGreaterThan(names.indexOf('CUSTOM_TASK_IN_PROGRESS', 4));
  });

  it('that waits for what no history records is ended with a sentence', async () => {
    const id = await begin(server, 'fetching');
    expect(await endOf(server, id)).toMatchObject({ status: 'FAILED' });
    const failed = (await listEvents(server, id)).find(({ event_type }) => event_type === 'WORKFLOW_EXECUTION_FAILED');
    expect(JSON.stringify(failed?.attributes)).toContain('no history records');
  });
});
