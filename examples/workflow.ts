// A durable workflow: a worker in this program, an execution that waits for a signal, and its result.
import { defineStep, defineWorkflow } from '@tramontane/workflows';
import { startWorker } from '@tramontane/workflows/worker';
import { z } from 'zod';
import { apiKey, connect, url } from './connect.ts';

const ship = defineStep('ship', async (order: string) => `${order} is on its way`);

const fulfil = defineWorkflow(
  'fulfil-order',
  { input: z.object({ order: z.string() }), signals: { paid: z.object({ cents: z.number() }) } },
  async (ctx, { order }) => {
    // Waits for days if need be, also while no worker runs.
    const { cents } = await ctx.receive('paid');
    return { cents, shipped: await ctx.step(ship, order) };
  },
);

const client = await connect();
const { executions } = client.workflows;
const worker = await startWorker({ url, apiKey, workflows: [fulfil], steps: [ship], deployment: 'examples' });

const { executionId } = await client.workflows.executeWorkflow({
  workflowIdentifier: 'fulfil-order',
  workflowExecutionRequest: { input: { order: 'A-17' } },
});
console.log(`${executionId} waits for the payment`);

await executions.signalWorkflowExecution({
  executionId,
  signalInvocationBody: { name: 'paid', input: { cents: 4200 } },
});

// The stream of events ends with the execution.
for await (const { data } of await executions.stream({ executionId }))
  if (data && 'data' in data) console.log(data.data.eventType);
const { status, result } = await executions.getWorkflowExecution({ executionId });
console.log(`${status}: ${JSON.stringify(result)}`);
await worker.stop();
