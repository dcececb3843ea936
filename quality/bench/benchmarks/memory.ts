import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const CONNECTIONS = 64;
const RSS_MIB_MAX = 280;
const SPEED_MIN = 0.95;
const CHATS = { full: 1_000_000, quick: 5000 };
const SLICE_MS = { full: 4000, quick: 500 };
/** A server that is much slower than ours would never come to its million. */
const SLICES_MAX = 200;
const MIB = 1024 * 1024;
const BODY = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'A question. '.repeat(75) }] });

export const memory: Benchmark = {
  name: 'memory',
  summary:
    'the memory of a server that only relays, under a million chats at 64 connections, and whether it slows down',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
        const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
        const config = join(directory, 'tramontane.yaml');
        const url = `http://127.0.0.1:${upstreamPort}/v1`;
        writeFileSync(config, `models:\n  - id: bench\n    engine: upstream\n    url: ${url}\n`);
        const env = {
          TRAMONTANE_DATA_DIR: join(directory, 'data'),
          TRAMONTANE_CONFIG: config,
          NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
        };
        const serve = (more = {}) => start(script('serve-platform'), { role: 'server', env: { ...env, ...more } });
        // Fills the compile cache: the one that is measured starts without a compiler in its memory, as a package does.
        const first = serve({ TRAMONTANE_DATA_DIR: join(directory, 'first') });
        await first.ask('address');
        await first.end();
        const server = serve();
        const address = await server.ask<{ port: number; key: string }>('address');
        await server.ask('rest');
        const idle = await server.ask<NodeJS.MemoryUsage>('memory');
        const generator = start(script('generate-load'), { role: 'load', urgent: true });
        const target = { ...address, path: '/v1/chat/completions', body: BODY };
        const durationMs = quick ? SLICE_MS.quick : SLICE_MS.full;
        const total = quick ? CHATS.quick : Number(process.env.TRAMONTANE_BENCH_CHATS ?? CHATS.full);
        const slices: { cpuMicros: number; rss: number; heapTotal: number }[] = [];
        let chats = 0;
        while (chats < total && slices.length < SLICES_MAX) {
          const before = await server.ask<number>('cpuMicros');
          const { requests } = await generator.ask<Load>('closedLoop', {
            target,
            connections: CONNECTIONS,
            durationMs,
          });
          const cpuMicros = ((await server.ask<number>('cpuMicros')) - before) / requests;
          // As it is, without a collection: that is what an operator sees.
          const { rss, heapTotal } = await server.ask<NodeJS.MemoryUsage>('memory');
          slices.push({ cpuMicros, rss, heapTotal });
          chats += requests;
          progress(`memory: ${chats} of ${total} chats, ${(rss / MIB).toFixed(0)} MiB`);
        }
        // The first third compiles the program and fills its caches.
        const warm = slices.slice(Math.floor(slices.length / 3));
        const half = Math.ceil(warm.length / 2);
        const cost = (some: typeof slices) => median(some.map(({ cpuMicros }) => cpuMicros));
        const largest = Math.max(...slices.map(({ rss }) => rss)) / MIB;
        return [
          {
            name: `RSS under ${CONNECTIONS} connections, largest`,
            value: largest,
            unit: 'MiB',
            target: { at: '≤', value: RSS_MIB_MAX },
            note: `${chats} chats; from ${(idle.rss / MIB).toFixed(0)} MiB; heap ${((slices.at(-1)?.heapTotal ?? 0) / MIB).toFixed(0)} MiB at the end`,
          },
          {
            name: 'chats per CPU second, the last third vs the one before',
            value: cost(warm.slice(0, half)) / cost(warm.slice(-half)),
            unit: '×',
            ...(quick ? {} : { target: { at: '≥', value: SPEED_MIN } }),
            note: `${cost(warm.slice(-half)).toFixed(0)} µs of CPU per chat at the end`,
          },
        ];
      }),
    ),
};
