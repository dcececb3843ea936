import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const GENERATE_LOAD = new URL('../processes/generate-load.ts', import.meta.url);
const HOLD_STREAMS = new URL('../processes/hold-streams.ts', import.meta.url);
const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const CONNECTION_KIB_MAX = 12;
const P99_RATIO_MAX = 2;
const REQUESTS_PER_SECOND = 500;
const LOAD_CONNECTIONS = 32;
const WARM_STREAMS = 50;
const OPEN_LIMIT_MS = 120_000;
const SETTLE_MS = 2000;
const WARM_MS = 4000;
const WAITED_SHARE_MAX = 0.05;
const KIB = 1024;

type Size = { streams: number; pairs: number; phaseMs: number };

export const idleStreams: Benchmark = {
  name: 'idle-streams',
  summary: 'memory of 10,000 idle event streams, and what they do to the p99 of other requests',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const size = options.quick
        ? { streams: 1000, pairs: 1, phaseMs: 4000 }
        : // A phase takes as long as the heartbeat interval (15 s), so each one sees a heartbeat of all streams.
          { streams: 10_000, pairs: 3, phaseMs: 15_000 };
      // Fills the compile cache for the servers that are measured.
      await withChildren(directory, (start) => startPlatform(start, directory, 'first'));
      const settled = await withChildren(directory, (start) => measureMemory(start, directory, size, true));
      const asIs = await withChildren(directory, (start) => measureMemory(start, directory, size, false));
      const latency = await withChildren(directory, (start) => measureLatency(start, directory, size, options));
      return [
        {
          name: `RSS per stream, ${size.streams} streams, after gc`,
          value: settled.kibPerStream,
          unit: 'KiB',
          target: { at: '≤', value: CONNECTION_KIB_MAX },
          note: settled.note,
        },
        { name: 'RSS per stream, no gc', value: asIs.kibPerStream, unit: 'KiB', note: asIs.note },
        latency,
      ];
    }),
};

async function measureMemory(start: StartChild, directory: string, { streams }: Size, gc: boolean) {
  const platform = await startPlatform(start, directory, gc ? 'settled' : 'as-is', {
    nodeArgs: gc ? ['--expose-gc'] : [],
  });
  const holder = start(HOLD_STREAMS, { role: 'load' });
  const generator = start(GENERATE_LOAD, { role: 'load' });
  const target = { ...platform.address, path: '/v1/users/me' };
  // A gentle warm-up: a heap blown up by full load would have room for the streams and hide them.
  const load = { target, connections: LOAD_CONNECTIONS, durationMs: SETTLE_MS, perSecond: REQUESTS_PER_SECOND };
  await generator.ask('openLoop', load);
  await openStreams(platform, holder, WARM_STREAMS);
  await closeStreams(platform, holder);

  const before = await settledMemory(platform.child);
  const openedIn = await openStreams(platform, holder, streams);
  const after = await settledMemory(platform.child);
  const kib = (pick: (usage: NodeJS.MemoryUsage) => number) => (pick(after) - pick(before)) / KIB / streams;
  return {
    kibPerStream: kib(({ rss }) => rss),
    note: `heap ${kib(({ heapUsed }) => heapUsed).toFixed(1)}, external ${kib(({ external }) => external).toFixed(1)} KiB per stream; RSS ${(before.rss / KIB / KIB).toFixed(0)} → ${(after.rss / KIB / KIB).toFixed(0)} MiB; opened in ${(openedIn / 1000).toFixed(1)} s`,
  };
}

async function measureLatency(
  start: StartChild,
  directory: string,
  { streams, pairs, phaseMs }: Size,
  { progress }: BenchmarkOptions,
): Promise<Figure> {
  const platform = await startPlatform(start, directory, 'latency', { urgent: true });
  const holder = start(HOLD_STREAMS, { role: 'load' });
  const generator = start(GENERATE_LOAD, { role: 'load', urgent: true });
  const target = { ...platform.address, path: '/v1/users/me' };
  const measure = (durationMs: number) =>
    generator.ask<Load>('openLoop', {
      target,
      connections: LOAD_CONNECTIONS,
      durationMs,
      perSecond: REQUESTS_PER_SECOND,
    });
  await measure(WARM_MS);
  const waitedBefore = platform.child.waitedMs() + generator.waitedMs();
  const without: Load[] = [];
  const during: Load[] = [];
  for (let pair = 1; pair <= pairs; pair++) {
    progress(`idle-streams: phase ${pair} of ${pairs}, without`);
    without.push(await measure(phaseMs));
    await openStreams(platform, holder, streams);
    await delay(SETTLE_MS);
    progress(`idle-streams: phase ${pair} of ${pairs}, with ${streams} streams`);
    during.push(await measure(phaseMs));
    await closeStreams(platform, holder);
    await delay(SETTLE_MS);
  }
  const waitedMs = (platform.child.waitedMs() + generator.waitedMs() - waitedBefore) / pairs;
  const of = (loads: Load[], pick: (load: Load) => number) => median(loads.map(pick));
  const p99 = (loads: Load[]) => of(loads, ({ p99Ms }) => p99Ms);
  const words = (loads: Load[]) =>
    `p50 ${of(loads, ({ p50Ms }) => p50Ms).toFixed(2)}, p99 ${p99(loads).toFixed(2)}, max ${of(loads, ({ maxMs }) => maxMs).toFixed(0)} ms`;
  return {
    name: `p99 at ${REQUESTS_PER_SECOND}/s, with vs without ${streams} streams`,
    value: p99(during) / p99(without),
    unit: '×',
    target: { at: '<', value: P99_RATIO_MAX },
    disturbed: waitedMs > WAITED_SHARE_MAX * 2 * phaseMs,
    note: `with: ${words(during)}; without: ${words(without)}; ${waitedMs.toFixed(0)} ms per pair of phases lost to other processes`,
  };
}

type Platform = { child: Child; address: { port: number; key: string } };

type PlatformOptions = { nodeArgs?: string[]; urgent?: boolean };

async function startPlatform(start: StartChild, directory: string, name: string, options: PlatformOptions = {}) {
  const env = { TRAMONTANE_DATA_DIR: join(directory, name), NODE_COMPILE_CACHE: join(directory, 'compile-cache') };
  const child = start(SERVE_PLATFORM, { role: 'server', env, ...options });
  return { child, address: await child.ask<Platform['address']>('address') };
}

/** Resolves with the time it took when the server tails all of them. */
async function openStreams({ child, address }: Platform, holder: Child, count: number): Promise<number> {
  const startedAt = performance.now();
  await holder.ask('open', { ...address, count }, OPEN_LIMIT_MS);
  const open = await child.ask<number>('openStreams');
  if (open !== count) throw new Error(`${count} streams were opened, the server has ${open}`);
  return performance.now() - startedAt;
}

async function closeStreams({ child }: Platform, holder: Child): Promise<void> {
  await holder.ask('close');
  const limit = performance.now() + OPEN_LIMIT_MS;
  while ((await child.ask<number>('openStreams')) > 0) {
    if (performance.now() > limit) throw new Error('The server keeps streams whose clients have left.');
    await delay(50);
  }
}

async function settledMemory(child: Child): Promise<NodeJS.MemoryUsage> {
  await delay(SETTLE_MS);
  await child.ask('settle');
  return child.ask('memory');
}
