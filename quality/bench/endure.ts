import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from './children.ts';
import type { MixName } from './processes/request-mixes.ts';
import type { Statuses } from './processes/send-mixed-load.ts';
import { slope } from './statistics.ts';

const script = (name: string) => new URL(`./processes/${name}.ts`, import.meta.url);
export const CONNECTIONS = 128;
const SLICES = 25;
/** The first third fills caches, pools and the heap; growth after it is a leak. */
const WARM_SHARE = 1 / 3;
const SLICE_LIMIT_MS = 300_000;
const MIB = 1024 * 1024;
const SLOPE_MIB_MAX = 1;

type Sample = { requests: number; rss: number; descriptors: number };

export type Endured = {
  /** Memory growth per 100,000 requests after warm-up, in MiB. */
  growth: number;
  memory: string;
  /** Open files and sockets between requests: after warm-up, and the maximum at any later time. */
  descriptors: { first: number; most: number };
  statuses: Statuses;
  upstreamConnections: number;
};

/** Sends `total` requests of a mix to a server, in slices, and samples the server after each slice. */
export function endure(options: {
  mix: MixName;
  total: number;
  /** Requests are throttled so that all of them take at least this long. */
  lastsMs?: number;
  slices?: number;
  /** Creates what the requests need. */
  prepare?: (server: { url: string; key: string }) => Promise<unknown>;
  progress: (text: string) => void;
}): Promise<Endured> {
  const { mix, total, lastsMs = 0, slices = SLICES, prepare, progress } = options;
  return inTemporaryDir((directory) =>
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
      await prepare?.({ url: `http://127.0.0.1:${port}`, key });
      const perSlice = total / slices;
      const statuses: Statuses = {};
      const samples: Sample[] = [];
      const startedAt = performance.now();
      for (let slice = 1; slice <= slices; slice++) {
        const load = { mix, port, key, connections: CONNECTIONS, requests: perSlice };
        const seen = await clients.ask<Statuses>('send', load, SLICE_LIMIT_MS);
        for (const [status, count] of Object.entries(seen)) statuses[status] = (statuses[status] ?? 0) + count;
        await delay(Math.max(0, (lastsMs * slice) / slices - (performance.now() - startedAt)));
        samples.push({ requests: slice * perSlice, ...(await look(server, upstream)) });
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
        const { rss, descriptors } = samples.at(-1) as Sample;
        progress(
          `${slice * perSlice} of ${total} requests, ${(rss / MIB).toFixed(1)} MiB, ${descriptors} descriptors, ${seconds} s`,
        );
      }
      const warm = samples.slice(Math.floor(slices * WARM_SHARE));
      const [first, last] = [warm[0], warm.at(-1)].map((sample) => ((sample?.rss ?? 0) / MIB).toFixed(1));
      return {
        growth: slope(warm.map(({ requests, rss }) => ({ x: requests / 100_000, y: rss / MIB }))),
        memory: `${first} → ${last} MiB`,
        descriptors: {
          first: warm[0]?.descriptors ?? 0,
          most: Math.max(...warm.map(({ descriptors }) => descriptors)),
        },
        statuses,
        upstreamConnections: await upstream.ask<number>('openConnections'),
      };
    }),
  );
}

/** Collects garbage first: uncollected garbage is not a leak, and would hide one. */
async function look(server: Child, upstream: Child): Promise<{ rss: number; descriptors: number }> {
  await server.ask('settle');
  const { rss } = await server.ask<{ rss: number }>('memory');
  if (process.platform !== 'linux') return { rss, descriptors: 0 };
  // Idle connections to the model server are kept on purpose, and their number varies.
  const idle = await upstream.ask<number>('openConnections');
  return { rss, descriptors: readdirSync(`/proc/${server.pid}/fd`).length - idle };
}

/** A model for each client, so that each circuit breaker sees failures and successes in turn. */
function configOf(upstreamPort: number): string {
  const model = (_: unknown, i: number) =>
    `  - id: bench-${i}\n    engine: upstream\n    url: http://127.0.0.1:${upstreamPort}/v1\n`;
  return `models:\n${Array.from({ length: CONNECTIONS }, model).join('')}`;
}

/** After few requests the server is still warming up, so the slope of a quick run has no target. */
export function growthFigure({ growth, memory, statuses }: Endured, quick: boolean): Figure {
  const seen = Object.entries(statuses).map(([status, count]) => `${status === '0' ? 'left' : status}: ${count}`);
  return {
    name: 'RSS per 100,000 requests after warm-up',
    value: growth,
    unit: 'MiB',
    ...(quick ? {} : { target: { at: '<', value: SLOPE_MIB_MAX } }),
    note: `${memory}; ${seen.join(', ')}`,
  };
}
