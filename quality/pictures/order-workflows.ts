import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { defineStep } from '../../packages/workflows/src/define-step.ts';
import { defineWorkflow } from '../../packages/workflows/src/define-workflow.ts';

/** Steps of the pictures take as long as such calls do. */
const work = async (ms: number) => void (await delay(ms));

let attempts = 0;
const reserve = defineStep('reserve-stock', async (order: string) => {
  await work(180);
  return { order, shelf: 'B-14' };
});
const score = defineStep('score-fraud', async (order: string) => {
  await work(420);
  return { order, risk: 0.08 };
});
const charge = defineStep(
  'charge-card',
  { input: z.object({ cents: z.number() }), retry: { maxAttempts: 5, initialIntervalMs: 300 } },
  async ({ cents }) => {
    await work(260);
    if (++attempts === 1) throw new Error('The bank did not answer in time.');
    return { receipt: 'R-20931', cents };
  },
);
const label = defineStep('print-label', async (order: string) => {
  await work(150);
  return `${order}-DHL`;
});
const mail = defineStep('send-confirmation', async (order: string) => {
  await work(120);
  return { order, sent: true };
});

const ship = defineWorkflow('ship-order', { input: z.object({ order: z.string() }) }, async (ctx, { order }) => {
  const parcel = await ctx.step(label, order);
  await ctx.sleep(250);
  return { parcel };
});

const sell = defineWorkflow(
  'fulfil-order',
  {
    description: 'Charges the card, has a person release large orders, and ships.',
    input: z.object({ order: z.string(), cents: z.int() }),
    searchKeys: ['order'],
  },
  async (ctx, { order, cents }) => {
    ctx.log.info(`Order ${order} over ${cents / 100} €`);
    await Promise.all([ctx.step(reserve, order), ctx.step(score, order)]);
    const { receipt } = await ctx.step(charge, { cents });
    const Verdict = z.object({ approved: z.boolean(), note: z.string().optional() });
    const verdict = await ctx.waitForInput(Verdict, `Release order ${order} for ${cents / 100} €?`);
    if (!verdict.approved) return { receipt, shipped: false };
    const { parcel } = await ctx.child(ship, { order });
    await ctx.step(mail, order);
    return { receipt, shipped: true, parcel };
  },
);

export const workflows = [sell, ship];
export const steps = [reserve, score, charge, label, mail];
