import { describe, expect, it } from 'vitest';
import { defineStep } from '../define-step.ts';
import { defineWorkflow } from '../define-workflow.ts';
import { MemoryRun, replayHistory } from './memory-run-for-tests.ts';

const charge = defineStep('charge', async (amount: number) => ({ paid: amount }));
const ship = defineStep('ship', async (_order: { id: string }) => 'sent');

const order = defineWorkflow('order', {}, async (ctx) => {
  const { paid } = await ctx.step(charge, 5);
  await ctx.sleep(1000);
  return `${paid} ${await ctx.step(ship, { id: ctx.uuid() })}`;
});

async function orderToTheEnd(): Promise<MemoryRun> {
  const run = new MemoryRun(order);
  await run.turn();
  await run.completeStep(1, { paid: 5 }).turn();
  await run.fireTimer(2).turn();
  await run.completeStep(3, 'sent').turn();
  return run;
}

describe('a run', () => {
  it('asks for one thing after the other and ends with what the code returns', async () => {
    const run = await orderToTheEnd();
    expect(run.history.at(-1)).toMatchObject({
      type: 'WORKFLOW_EXECUTION_COMPLETED',
      attributes: { result: '5 sent' },
    });
  });

  it('goes on from any point of its history in another worker', async () => {
    const whole = await orderToTheEnd();
    const run = new MemoryRun(order);
    await run.turn();
    await run.completeStep(1, { paid: 5 }).forget().turn();
    await run.fireTimer(2).forget().turn();
    await run.completeStep(3, 'sent').forget().turn();
    expect(run.history).toEqual(whole.history);
  });

  it('is read back from its whole history without a difference', async () => {
    const { history } = await orderToTheEnd();
    const { execution, failure } = await replayHistory(order, history);
    expect(failure).toBeUndefined();
    expect(execution.hasEnded).toBe(true);
  });
});
