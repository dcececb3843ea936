import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const RATIO_MAX = 1.15;

export const temporal: Benchmark = {
  name: 'temporal',
  summary: 'three steps on Temporal, start to result: through the platform against Temporal’s own client',
  run: ({ quick }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const cluster = start(script('serve-temporal'), {
          role: 'free',
          env: { TRAMONTANE_TEST_TEMPORAL: process.env.TRAMONTANE_TEST_TEMPORAL ?? '' },
        });
        const { address } = await cluster.ask<{ address: string }>('address');
        const env = {
          TRAMONTANE_DATA_DIR: join(directory, 'data'),
          TRAMONTANE_TEMPORAL_ADDRESS: address,
          TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
        };
        const server = start(script('serve-platform'), { role: 'free', env });
        const { port, key } = await server.ask<{ port: number; key: string }>('address');
        const worker = start(script('work-on-temporal'), { role: 'free' });
        await worker.ask('start', { port, key });
        const client = start(script('execute-on-temporal'), { role: 'free' });
        const url = `http://127.0.0.1:${port}`;
        const namespace = await client.ask<string>('namespace', { url, key });
        const round = (way: 'through' | 'past', count: number) =>
          client.ask<number[]>(way, { url, key, address, namespace, count });

        for (const way of ['through', 'past'] as const) await round(way, quick ? 2 : 15);
        const latencies = { through: [] as number[], past: [] as number[] };
        const turns = ['through', 'past', 'past', 'through'] as const;
        for (let at = 0; at < (quick ? 4 : 16); at++) {
          const way = turns[at % turns.length] ?? 'through';
          latencies[way].push(...(await round(way, quick ? 3 : 8)));
        }
        const [through, past] = [median(latencies.through), median(latencies.past)];
        return [
          {
            name: 'start to result through us, of Temporal’s own client (p50)',
            value: through / past,
            unit: '×',
            target: { at: '≤', value: RATIO_MAX },
            note: `${through.toFixed(1)} ms and ${past.toFixed(1)} ms`,
          },
          { name: 'Temporal’s own client, start to result (p50)', value: past, unit: 'ms' },
        ];
      }),
    ),
};
