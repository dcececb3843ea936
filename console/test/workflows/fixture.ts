import { z } from 'zod';
import { NonRetryable } from '../../../packages/workflows/src/errors.ts';
import { systemClock } from '../../../src/kit/base/clock.ts';
import { createEvents } from '../../../src/kit/events/index.ts';
import { streamOf } from '../../../src/workflows/engines/port/project-events.ts';
import { defineStep, defineWorkflow } from '../../../src/workflows/work-for-tests.ts';
import { call } from '../../../test/support/call.ts';
import type { TestServer } from '../../../test/support/server.ts';

let refused = 0;
const charge = defineStep(
  'charge-card',
  { input: z.object({ cents: z.number() }), retry: { maxAttempts: 3, initialIntervalMs: 50 } },
  async ({ cents }) => {
    // Each second attempt succeeds.
    if (++refused % 2 === 1) throw new Error('The bank did not answer.');
    return { receipt: `r-${cents}` };
  },
);
const pack = defineStep('pack', async (order: string) => `${order}-parcel`);
const explode = defineStep('explode', { retry: false }, async () => {
  throw new NonRetryable('There is no stock left in the warehouse of Marseille.');
});

export const ship = defineWorkflow('ship', { input: z.object({ order: z.string() }) }, async (ctx, { order }) => {
  await ctx.step(pack, order);
  await ctx.sleep(20);
  return { parcel: order };
});

/** Retries, a timer, a child and an input request: every kind of timeline row. */
export const sell = defineWorkflow(
  'sell',
  {
    description: 'Charges a card, has a person approve the order, and ships it.',
    input: z.object({
      order: z.string().min(3).describe('The number on the invoice'),
      cents: z.int().min(1),
      gift: z.boolean(),
      size: z.enum(['small', 'large']).optional(),
      lines: z.array(z.object({ sku: z.string(), count: z.int().min(1) })).optional(),
    }),
    signals: { remind: z.object({ who: z.string() }) },
    queries: { state: { output: z.string() } },
    updates: { rename: { input: z.object({ order: z.string() }), output: z.object({ order: z.string() }) } },
    searchKeys: ['order'],
  },
  async (ctx, { order, cents }) => {
    let name = order;
    ctx.onQuery('state', () => `sells ${name}`);
    ctx.onSignal('remind', ({ who }) => ctx.log.info(`${who} asks when ${name} comes`));
    ctx.onUpdate('rename', (update) => {
      name = update.order;
      return { order: name };
    });
    ctx.log.info(`Selling ${order}`);
    const { receipt } = await ctx.step(charge, { cents });
    await ctx.sleep(30);
    const Verdict = z.object({ approved: z.boolean(), note: z.string().optional() });
    const verdict = await ctx.waitForInput(Verdict, `Ship order ${order} for ${cents / 100} €?`);
    if (!verdict.approved) return { receipt, shipped: false, note: verdict.note ?? null };
    const { parcel } = await ctx.child(ship, { order });
    return { receipt, shipped: true, parcel, note: verdict.note ?? null };
  },
);

export const fail = defineWorkflow('stock', { input: z.object({}) }, async (ctx) => ctx.step(explode));

export const workflows = [sell, ship, fail];
export const steps = [charge, pack, explode];

type Run = { execution_id: string; run_id: string; root_execution_id: string };

/** Stores a completed execution with many events, as the engine would. */
export async function addEvents(server: TestServer, execution: Run, count: number): Promise<void> {
  const { database } = server.platform;
  const events = createEvents({ database, now: systemClock });
  const startMs = Date.now();
  const made = Array.from({ length: count }, (_, at) => {
    const step = String(1000 + Math.floor(at / 2));
    const isStart = at % 2 === 0;
    const failed = !isStart && at % 101 === 0;
    const event_type = isStart ? 'ACTIVITY_TASK_STARTED' : failed ? 'ACTIVITY_TASK_FAILED' : 'ACTIVITY_TASK_COMPLETED';
    const attributes = { task_id: step, activity_name: `step ${step}` };
    const data = {
      event_id: `made-${at}`,
      event_timestamp: (startMs + at * 7) * 1000,
      root_workflow_exec_id: execution.root_execution_id,
      parent_workflow_exec_id: null,
      workflow_exec_id: execution.execution_id,
      workflow_run_id: execution.run_id,
      workflow_name: 'ship',
      continued_run_id: null,
      first_execution_run_id: execution.run_id,
      schedule_id: null,
      event_type,
      attributes: failed
        ? { ...attributes, attempt: 1, failure: { message: 'It broke.' } }
        : { ...attributes, [isStart ? 'input' : 'result']: { type: 'json', value: [{ at }] } },
    };
    return { type: event_type, data };
  });
  const { workspace_id } = await database.db
    .selectFrom('workflow_runs')
    .select('workspace_id')
    .where('run_id', '=', execution.run_id)
    .executeTakeFirstOrThrow();
  const stream = streamOf({ workspace_id, root_execution_id: execution.root_execution_id });
  await database.transaction((tx) => events.append(tx, stream, made));
}

export async function post(server: TestServer, path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await call(server, path, { body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body as Record<string, unknown>;
}
