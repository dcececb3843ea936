import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';

const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const VISIT = new URL('../processes/visit-tool-server.ts', import.meta.url);
const GROWTH_MIB_MAX = 16;
const LIST_MICROS_MAX = 300;
const CONCURRENCY = 32;
const VISIT_LIMIT_MS = 200_000;
const SETTLE_MS = 1000;
const CLOSE_LIMIT_MS = 10_000;
const MIB = 1024 * 1024;

export const toolServer: Benchmark = {
  name: 'tool-server',
  summary: 'memory of the tool server after 10,000 clients that vanished, and what a request costs it',
  run: ({ quick }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const visits = quick ? 500 : 10_000;
        const env = { TRAMONTANE_DATA_DIR: join(directory, 'data') };
        const server = start(SERVE_PLATFORM, { role: 'server', env, nodeArgs: ['--expose-gc'] });
        const visitor = start(VISIT, { role: 'load' });
        const address = await server.ask<{ port: number; key: string }>('address');
        const make = (method: string, count: number) =>
          visitor.ask(method, { ...address, count, concurrency: CONCURRENCY }, VISIT_LIMIT_MS);
        const settled = async () => {
          const limit = performance.now() + CLOSE_LIMIT_MS;
          while ((await visitor.ask<number>('openStreams', address)) > 0) {
            if (performance.now() > limit) throw new Error('The server keeps streams whose clients have left.');
            await delay(50);
          }
          await delay(SETTLE_MS);
          return memoryOf(server);
        };

        // The allocator reaches its steady size in the first thousands of visits; growth after that is a leak.
        await make('visit', visits);
        const before = await settled();
        await make('visit', visits);
        const after = await settled();

        // Visits list only now and then: the path of a list is compiled after some thousands.
        if (!quick) await make('list', visits / 2);
        const cpuBefore = await server.ask<number>('cpuMicros');
        await make('list', visits / 5);
        const micros = ((await server.ask<number>('cpuMicros')) - cpuBefore) / (visits / 5);
        const grown = (pick: (usage: NodeJS.MemoryUsage) => number) => (pick(after) - pick(before)) / MIB;
        return [
          {
            name: `RSS grown by ${visits} clients that vanished`,
            value: grown(({ rss }) => rss),
            unit: 'MiB',
            target: { at: '≤', value: GROWTH_MIB_MAX },
            note: `heap ${grown(({ heapUsed }) => heapUsed).toFixed(1)} MiB; RSS ${(before.rss / MIB).toFixed(0)} → ${(after.rss / MIB).toFixed(0)} MiB; no stream left open`,
          },
          { name: 'CPU time of a tools/list', value: micros, unit: 'µs', target: { at: '≤', value: LIST_MICROS_MAX } },
        ];
      }),
    ),
};

async function memoryOf(server: Child): Promise<NodeJS.MemoryUsage> {
  await server.ask('settle');
  return server.ask('memory');
}
