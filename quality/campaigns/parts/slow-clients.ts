import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { idleStreams } from '../../bench/benchmarks/idle-streams.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../../bench/children.ts';
import { median } from '../../bench/statistics.ts';
import { startUpstream } from '../streams/start-upstream.ts';
import { ask } from '../support/ask.ts';
import { type Served, startServed } from '../support/start-server.ts';

const HOLD = new URL('../processes/hold-connections.ts', import.meta.url);
const KIB = 1024;
const MIB = 1024 * KIB;
const HEADERS_FREED_S_MAX = 30;
const BODIES_FREED_S_MAX = 130;
const READERS_MIB_MAX = 128;
const GROWTH_KIB_MAX = 128;
const SETTLE_MS = 30_000;
const SAMPLE_MS = 300;
/** Ratio of medians, on a machine that also runs the slow clients. */
const LATENCY_RATIO_MAX = 3;
const DESCRIPTORS_LEFT_MAX = 20;
const WAIT_MS = 200_000;

type Size = { readers: number; headers: number; bodies: number; asked: number; readingMs: number };

export const slowClients: Benchmark = {
  name: 'slow-clients',
  summary:
    'clients that read a byte a second, never finish their headers or dawdle over a body, and what others notice',
  run: async (options) => {
    const size = options.quick
      ? { readers: 20, headers: 300, bodies: 100, asked: 30, readingMs: 200 }
      : { readers: 100, headers: 5000, bodies: 1000, asked: 400, readingMs: 15_000 };
    const figures = await inTemporaryDir(async (directory) => {
      const upstream = await startUpstream();
      const models = [{ id: 'small', engine: 'upstream', url: upstream.url, upstream_model: 'm' }];
      try {
        return await withChildren(directory, async (start) => {
          const served = await startServed(start, directory, { models });
          return [
            ...(await slowReaders(start, served, size, options)),
            ...(await slowSenders(start, served, size, options)),
          ];
        });
      } finally {
        upstream.close();
      }
    });
    // Measuring their memory needs a separate server with an exposed garbage collector.
    return options.quick ? figures : [...(await idleStreams.run(options)), ...figures];
  },
};

async function slowReaders(
  start: StartChild,
  served: Served,
  size: Size,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  progress(`slow-clients: ${size.readers} readers of a byte a second`);
  // The heap grows under its first such load, however slow the readers: the first round absorbs that.
  await closeAll(await openReaders(start, served, size));
  await settle(served);
  const without = await latencyMs(served, size.asked);
  const before = await rss(served);
  const holder = await openReaders(start, served, size);
  const during = await latencyMs(served, size.asked);
  const early = await rss(served);
  await delay(size.readingMs);
  const late = await rss(served);
  await closeAll(holder);
  await settle(served);
  return [
    {
      name: `memory that ${size.readers} readers of 1 byte/s take`,
      value: Math.max(0, late - before) / MIB,
      unit: 'MiB',
      target: { at: '≤', value: READERS_MIB_MAX },
    },
    {
      name: 'growth of it while they read on, each',
      value: Math.max(0, late - early) / KIB / size.readers,
      unit: 'KiB',
      target: { at: '≤', value: GROWTH_KIB_MAX },
    },
    ratio(`requests of others beside ${size.readers} readers of 1 byte/s, median`, quick, [
      during,
      Math.max(without, await latencyMs(served, size.asked)),
    ]),
  ];
}

async function openReaders(start: StartChild, served: Served, { readers, readingMs }: Size): Promise<Child> {
  const holder = start(HOLD, { role: 'free' });
  await holder.ask('slowReaders', { ...addressOf(served), count: readers });
  await delay(readingMs);
  await settle(served);
  return holder;
}

/** Resolves when the server is nearly idle: the buffers of the kernel and its own are full or drained. */
async function settle({ cpuMs }: Served): Promise<void> {
  const limit = performance.now() + SETTLE_MS;
  for (let busyMs = SAMPLE_MS; busyMs > SAMPLE_MS / 10 && performance.now() < limit; )
    [, busyMs] = await cpuMs(() => delay(SAMPLE_MS));
}

async function slowSenders(
  start: StartChild,
  served: Served,
  size: Size,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  const holder = start(HOLD, { role: 'free' });
  const descriptorsBefore = descriptors(served);
  const without = await latencyMs(served, size.asked);
  progress(`slow-clients: ${size.headers} half-sent headers, ${size.bodies} bodies of 1 byte/s`);
  await holder.ask('halfHeaders', { ...addressOf(served), count: size.headers });
  await holder.ask('slowBodies', { ...addressOf(served), count: size.bodies });
  const during = await latencyMs(served, size.asked);
  const freed = quick ? [] : await waitUntilFreed(holder);
  await closeAll(holder);
  const left = await descriptorsLeft(served, descriptorsBefore);
  return [
    ratio(`requests of others beside ${size.headers} half headers and ${size.bodies} slow bodies, median`, quick, [
      during,
      Math.max(without, await latencyMs(served, size.asked)),
    ]),
    ...freed,
    {
      name: 'descriptors more than before, when all are gone',
      value: left,
      unit: '',
      target: { at: '≤', value: DESCRIPTORS_LEFT_MAX },
      note: `${descriptorsBefore} before`,
    },
  ];
}

type State = { count: number; ended: number; timedOut: number; longestMs: number };

/** The server ends both kinds by itself, with a 408. */
async function waitUntilFreed(holder: Child): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [kind, what, secondsMax] of [
    ['half-headers', 'half-sent headers', HEADERS_FREED_S_MAX],
    ['slow-bodies', 'bodies of 1 byte/s', BODIES_FREED_S_MAX],
  ] as const) {
    const limit = performance.now() + WAIT_MS;
    let state: State;
    do {
      await delay(500);
      state = await holder.ask<State>('state', kind);
    } while (state.ended < state.count && performance.now() < limit);
    figures.push(
      {
        name: `${what} that were not freed with a 408`,
        value: state.count - state.timedOut,
        unit: '',
        target: { at: '≤', value: 0 },
        note: `${state.count} of them`,
      },
      {
        name: `${what} freed after, at most`,
        value: state.longestMs / 1000,
        unit: 's',
        target: { at: '≤', value: secondsMax },
      },
    );
  }
  return figures;
}

async function closeAll(holder: Child): Promise<void> {
  await holder.ask('close');
  await holder.end();
}

function addressOf({ url, credentials }: Served): { port: number; authorization: string } {
  return { port: Number(new URL(url).port), authorization: credentials.standard?.authorization ?? '' };
}

async function rss({ child }: Served): Promise<number> {
  return (await child.ask<NodeJS.MemoryUsage>('memory')).rss;
}

/** The median of requests one after another, each on a connection of its own. */
async function latencyMs({ url, credentials }: Served, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const before = performance.now();
    const { status } = await ask(`${url}/v1/users/me`, { headers: credentials.standard ?? {} });
    if (status !== 200) throw new Error(`An ordinary client got ${status}.`);
    times.push(performance.now() - before);
  }
  return median(times);
}

// A short run says nothing about times: its few requests share two cores with other tests.
function ratio(name: string, quick: boolean, [during, without]: [number, number]): Figure {
  return {
    name,
    value: during / without,
    unit: '×',
    ...(quick ? {} : { target: { at: '≤', value: LATENCY_RATIO_MAX } as const }),
    note: `${during.toFixed(2)} ms with, ${without.toFixed(2)} ms without`,
  };
}

function descriptors({ child }: Served): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

async function descriptorsLeft(served: Served, before: number): Promise<number> {
  const limit = performance.now() + 20_000;
  let left = Number.POSITIVE_INFINITY;
  while (left > 0 && performance.now() < limit) {
    left = descriptors(served) - before;
    if (left > 0) await delay(100);
  }
  return Math.max(0, left);
}
