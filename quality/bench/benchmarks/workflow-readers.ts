import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';

const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const WORK = new URL('../processes/work-workflows.ts', import.meta.url);
const START = new URL('../processes/start-executions.ts', import.meta.url);
const READ = new URL('../processes/read-executions.ts', import.meta.url);
const UPDATES = 50;
const LIMIT_MS = 55_000;

export const workflowReaders: Benchmark = {
  name: 'workflow-readers',
  summary: 'readers of one busy execution: how many saw every event',
  run: ({ quick }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const readers = quick ? 50 : 1000;
        const env = { TRAMONTANE_DATA_DIR: join(directory, 'data') };
        const server = start(SERVE_PLATFORM, { role: 'server', env });
        const worker = start(WORK, { role: 'load' });
        const clients = start(START, { role: 'load' });
        const reader = start(READ, { role: 'load' });
        const address = await server.ask<{ port: number; key: string }>('address');
        await worker.ask('start', address);
        const load = { ...address, workflow: 'busy', waits: false, count: 1, concurrency: 1 };
        const { ids } = await clients.ask<{ ids: string[] }>('start', { ...load, input: { updates: UPDATES } });
        const begun = performance.now();
        await reader.ask('begin', { ...address, executionId: ids[0], readers });
        const seen = await reader.ask<{ count: number; isAscending: boolean }[]>('seen', undefined, LIMIT_MS);
        const events = Math.max(...seen.map(({ count }) => count));
        const complete = seen.filter(({ count, isAscending }) => isAscending && count === events).length;
        const seconds = (performance.now() - begun) / 1000;
        return [
          {
            name: `of ${readers} readers, who saw all ${events} events in their order`,
            value: complete,
            unit: '',
            target: { at: '≥', value: readers },
            note: `${((readers * events) / seconds).toFixed(0)} events/s`,
          },
        ];
      }),
    ),
};
