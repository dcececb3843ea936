import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';
import type { Statuses } from '../processes/send-mixed-load.ts';
import { slope } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const CONNECTIONS = 128;
const REQUESTS = { quick: 60_000, full: 1_000_000 };
const SLICES = 25;
/** The first slices fill caches, pools and the heap; what grows after them grows for ever. */
const WARM_SLICES = 8;
const SLICE_LIMIT_MS = 120_000;
const SLOPE_MIB_MAX = 1;
const MIB = 1024 * 1024;

type Sample = { requests: number; rss: number };

export const endurance: Benchmark = {
  name: 'endurance',
  summary: 'a million chats, half of them failing in every way: the memory of the server afterwards',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const upstream = start(script('serve-upstream'), { role: 'load' });
        const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
        const config = join(directory, 'tramontane.yaml');
        writeFileSync(config, configOf(upstreamPort));
        const server = start(script('serve-platform'), {
          role: 'server',
          env: { TRAMONTANE_DATA_DIR: join(directory, 'data'), TRAMONTANE_CONFIG: config },
          nodeArgs: ['--expose-gc'],
        });
        const { port, key } = await server.ask<{ port: number; key: string }>('address');
        const clients = start(script('send-mixed-load'), { role: 'load' });
        const total = quick ? REQUESTS.quick : REQUESTS.full;
        const perSlice = total / SLICES;
        const statuses: Statuses = {};
        const samples: Sample[] = [];
        const startedAt = performance.now();
        for (let slice = 1; slice <= SLICES; slice++) {
          const mix = { port, key, connections: CONNECTIONS, requests: perSlice };
          const seen = await clients.ask<Statuses>('send', mix, SLICE_LIMIT_MS);
          for (const [status, count] of Object.entries(seen)) statuses[status] = (statuses[status] ?? 0) + count;
          // Garbage that nobody has collected yet is not a leak, and would drown one.
          await server.ask('settle');
          const { rss } = await server.ask<{ rss: number }>('memory');
          samples.push({ requests: slice * perSlice, rss });
          const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
          progress(`endurance: ${slice * perSlice} of ${total} requests, ${(rss / MIB).toFixed(1)} MiB, ${seconds} s`);
        }
        return [slopeFigure(samples, statuses, quick), await leftFigure(() => upstream.ask<number>('openConnections'))];
      }),
    ),
};

/** A model for each client, so that each has a circuit breaker that sees failures and answers in turn. */
function configOf(upstreamPort: number): string {
  const model = (_: unknown, i: number) =>
    `  - id: bench-${i}\n    engine: upstream\n    url: http://127.0.0.1:${upstreamPort}/v1\n`;
  return `models:\n${Array.from({ length: CONNECTIONS }, model).join('')}`;
}

/** After few requests the server is still warming up, so the slope of the quick form has no target. */
function slopeFigure(samples: Sample[], statuses: Statuses, quick: boolean): Figure {
  const warm = samples.slice(WARM_SLICES);
  const [first, last] = [warm[0], warm.at(-1)].map((sample) => ((sample?.rss ?? 0) / MIB).toFixed(1));
  const seen = Object.entries(statuses).map(([status, count]) => `${status === '0' ? 'left' : status}: ${count}`);
  return {
    name: 'RSS per 100,000 requests after warm-up',
    value: slope(warm.map(({ requests, rss }) => ({ x: requests / 100_000, y: rss / MIB }))),
    unit: 'MiB',
    ...(quick ? {} : { target: { at: '<', value: SLOPE_MIB_MAX } }),
    note: `${first} → ${last} MiB; ${seen.join(', ')}`,
  };
}

/** Of the clients that left, none may still hold a connection to the model server. */
async function leftFigure(openConnections: () => Promise<number>): Promise<Figure> {
  return {
    name: 'upstream connections left open',
    value: await openConnections(),
    unit: '',
    target: { at: '≤', value: CONNECTIONS },
    note: 'idle ones of the keep-alive pool; one for each client at most',
  };
}
