import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { answer } from './answer.ts';

// One client that starts executions and waits for their results: through the platform, and directly on Temporal.
type Load = { url: string; key: string; address: string; namespace: string; count: number };

let direct: Client | undefined;

async function timed(count: number, execute: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  for (let done = 0; done < count; done++) {
    const began = performance.now();
    const result = await execute();
    if (result !== 10) throw new Error(`The result was ${JSON.stringify(result)}.`);
    latencies.push(performance.now() - began);
  }
  return latencies;
}

answer({
  namespace: async ({ url, key }: Load) => {
    const response = await fetch(`${url}/v1/workflows/workers/whoami`, { headers: { authorization: `Bearer ${key}` } });
    return ((await response.json()) as { namespace: string }).namespace;
  },
  through: ({ url, key, count }: Load) =>
    timed(count, async () => {
      const response = await fetch(`${url}/v1/workflows/three-steps/execute`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: {}, wait_for_result: true, timeout_seconds: 30 }),
      });
      return ((await response.json()) as { result: unknown }).result;
    }),
  past: async ({ address, namespace, count }: Load) => {
    direct ??= new Client({ connection: await Connection.connect({ address }), namespace });
    const { workflow } = direct;
    const execute = () =>
      workflow.execute('three-steps', { taskQueue: 'default', workflowId: randomUUID(), args: [{}] });
    return timed(count, execute);
  },
});
