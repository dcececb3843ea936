import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';

const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const WORK = new URL('../processes/work-workflows.ts', import.meta.url);
const START = new URL('../processes/start-executions.ts', import.meta.url);
const BYTES_MAX = 2048;
const LOAD_LIMIT_MS = 120_000;
const CONCURRENCY = 50;

export const workflowMemory: Benchmark = {
  name: 'workflow-memory',
  summary: 'what executions that sleep add to the memory of the server',
  run: ({ quick }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const count = quick ? 200 : 10_000;
        const env = { TRAMONTANE_DATA_DIR: join(directory, 'data') };
        const server = start(SERVE_PLATFORM, { role: 'server', env, nodeArgs: ['--expose-gc'] });
        const worker = start(WORK, { role: 'load' });
        const clients = start(START, { role: 'load' });
        const address = await server.ask<{ port: number; key: string }>('address');
        await worker.ask('start', address);
        const sleepers = (more: number) => {
          const load = { ...address, workflow: 'sleeper', waits: false, count: more, concurrency: CONCURRENCY };
          return clients.ask('start', load, LOAD_LIMIT_MS);
        };
        const settled = async () => {
          while ((await worker.ask<{ turns: number }>('status')).turns > 0) await delay(100);
          return heapOf(server);
        };
        // Caches and compiled code reach their size before anything is counted.
        await sleepers(count / 5);
        const before = await settled();
        await sleepers(count);
        const after = await settled();
        return [
          {
            name: `heap of each of ${count} executions that sleep`,
            value: (after - before) / count,
            unit: 'B',
            target: { at: '<', value: BYTES_MAX },
          },
        ];
      }),
    ),
};

async function heapOf(server: Child): Promise<number> {
  await server.ask('settle');
  const { heapUsed, external } = await server.ask<NodeJS.MemoryUsage>('memory');
  return heapUsed + external;
}
