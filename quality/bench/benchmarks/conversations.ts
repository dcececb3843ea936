import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const OVERHEAD_MS_MAX = 1.5;
const GROWTH_MAX = 2;
const ENTRY_MICROS_MAX = 20;
const RUNS = 1000;
const RSS_MIB_MAX = 400;
const MIB = 1024 * 1024;
const FILL_LIMIT_MS = 120_000;
const WATCH_LIMIT_MS = 120_000;
const SAMPLE_MS = 100;
/** A freshly started server still compiles; its users see that only once. */
const WARM_ROUNDS = 40;
/** Per kind and round: few enough that an appended conversation stays short. The next round creates another. */
const REQUESTS_PER_ROUND = 8;
const PATH = '/v1/conversations';
const QUESTION = 'A question in a few words.';

type Server = { child: Child; port: number; key: string };
type Asked = { method: string; path: string; body?: unknown };

export const conversations: Benchmark = {
  name: 'conversations',
  summary:
    'appends on an instant model server, 1,000 conversations of 1,000 entries beside them, and 1,000 runs at once',
  run: (options) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (startChild) => {
        const upstream = startChild(script('serve-upstream'), { role: 'load', urgent: true });
        const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
        const config = join(directory, 'tramontane.yaml');
        const url = `http://127.0.0.1:${upstreamPort}/v1`;
        writeFileSync(config, `models:\n  - id: bench\n    engine: upstream\n    url: ${url}\n`);
        const client = startChild(script('converse'), { role: 'load', urgent: true });
        const open = (name: string) => openServer(startChild, { TRAMONTANE_CONFIG: config }, join(directory, name));

        const empty = await open('empty');
        options.progress('conversations: filling');
        const full = await open('full');
        const ids = await fill(startChild, join(directory, 'full'), options);
        const filled = { ...full, ...(await full.serve()) };
        const small = { ...empty, ...(await empty.serve()) };
        const deeds = await compareSizes(client, { small, filled }, upstreamPort, options);
        const history = await measureHistory(client, filled, ids, options);
        const memory = await measureRuns(client, small, options);
        return [...deeds, history, memory];
      }),
    ),
};

/** A data directory with its key, and how to serve it. */
async function openServer(startChild: StartChild, settings: Record<string, string>, dataDir: string) {
  const env = { ...settings, TRAMONTANE_DATA_DIR: dataDir };
  const begin = () => startChild(script('serve-platform'), { role: 'server', urgent: true, env });
  const first = begin();
  const { key } = await first.ask<{ key: string }>('address');
  await first.end();
  return {
    key,
    async serve() {
      const child = begin();
      return { child, port: (await child.ask<{ port: number }>('address')).port };
    },
  };
}

async function fill(startChild: StartChild, dataDir: string, { quick }: BenchmarkOptions) {
  const filler = startChild(script('fill-conversations'), { role: 'free', args: [join(dataDir, 'tramontane.db')] });
  const ids = await filler.ask<string[]>('fill', { conversations: quick ? 20 : 1000, entries: 1000 }, FILL_LIMIT_MS);
  await filler.end();
  return ids;
}

const start: Asked = { method: 'POST', path: PATH, body: { model: 'bench', inputs: QUESTION } };

/** The requests of a client that has a short conversation of its own. */
const DEEDS: Record<string, (conversation: string) => Asked> = {
  start: () => start,
  append: (conversation) => ({ method: 'POST', path: `${PATH}/${conversation}`, body: { inputs: QUESTION } }),
  list: () => ({ method: 'GET', path: PATH }),
};

async function compareSizes(
  client: Child,
  servers: { small: Server; filled: Server },
  upstreamPort: number,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  const rounds = quick ? 3 : 15;
  const seen = { small: {}, filled: {} } as Record<keyof typeof servers, Record<string, number[]>>;
  const bare: number[] = [];
  // A run reads its completion as a stream, whether or not its client streams.
  const completion = { model: 'bench', messages: [{ role: 'user', content: QUESTION }], stream: true };
  const upstreamAsked = { method: 'POST', path: '/v1/chat/completions', body: completion };
  for (let round = -WARM_ROUNDS; round < rounds; round++) {
    progress(`conversations: round ${round + 1}`);
    const direct = await timesOf(client, { port: upstreamPort }, upstreamAsked);
    if (round >= 0) bare.push(...direct);
    for (const size of round % 2 ? (['small', 'filled'] as const) : (['filled', 'small'] as const)) {
      const { port, key } = servers[size];
      const server = { port, key };
      const begun = await client.ask<{ conversation_id: string }>('ask', { server, asked: start });
      for (const [name, deed] of Object.entries(DEEDS)) {
        const times = await timesOf(client, server, deed(begun.conversation_id));
        if (round >= 0) seen[size][name] = [...(seen[size][name] ?? []), ...times];
      }
    }
  }
  const p50 = (size: keyof typeof servers, name: string) => median(seen[size][name] ?? []);
  const overhead = p50('small', 'append') - median(bare);
  return [
    {
      name: 'append, p50 over the time of its model server',
      value: overhead,
      unit: 'ms',
      target: { at: '≤', value: OVERHEAD_MS_MAX },
      note: `${p50('small', 'append').toFixed(2)} ms, the model server alone ${median(bare).toFixed(2)} ms`,
    },
    ...Object.keys(DEEDS).map((name): Figure => {
      const [few, many] = [p50('small', name), p50('filled', name)];
      return {
        name: `${name}, 1,000,000 entries beside it vs none`,
        value: many / few,
        unit: '×',
        target: { at: '≤', value: GROWTH_MAX },
        note: `${many.toFixed(2)} vs ${few.toFixed(2)} ms`,
      };
    }),
  ];
}

function timesOf(client: Child, server: { port: number; key?: string }, asked: Asked): Promise<number[]> {
  return client.ask('time', { server, asked: Array<Asked>(REQUESTS_PER_ROUND).fill(asked) });
}

/** The server's own time: the client's time to read a long response does not count. */
async function measureHistory(client: Child, { child, port, key }: Server, ids: string[], { quick }: BenchmarkOptions) {
  const reads = quick ? 10 : 60;
  const read = (from: number) => {
    const asked = Array.from({ length: reads }, (_, i) => ({
      method: 'GET',
      path: `${PATH}/${ids[(from + i) % ids.length]}/history`,
    }));
    return client.ask<number[]>('time', { server: { port, key }, asked });
  };
  await read(0);
  const before = await child.ask<number>('cpuMicros');
  const times = await read(reads);
  const micros = ((await child.ask<number>('cpuMicros')) - before) / reads / 1000;
  return {
    name: 'history of 1,000 entries, server time per entry',
    value: micros,
    unit: 'µs',
    target: { at: '≤', value: ENTRY_MICROS_MAX },
    note: `p50 ${median(times).toFixed(1)} ms until it was read`,
  } satisfies Figure;
}

async function measureRuns(client: Child, server: Server, { quick, progress }: BenchmarkOptions): Promise<Figure> {
  const { child, port, key } = server;
  const count = quick ? 50 : RUNS;
  const before = (await child.ask<NodeJS.MemoryUsage>('memory')).rss;
  const asked = { method: 'POST', path: PATH, body: { model: 'bench', inputs: '~slowly', stream: true } };
  progress(`conversations: ${count} runs at once`);
  let ended = false;
  const watching = client
    .ask<{ openMax: number; firstP99Ms: number }>('watch', { server: { port, key }, asked, count }, WATCH_LIMIT_MS)
    .finally(() => {
      ended = true;
    });
  watching.catch(() => undefined);
  const startedAt = performance.now();
  let peak = 0;
  while (!ended) {
    peak = Math.max(peak, (await child.ask<NodeJS.MemoryUsage>('memory')).rss);
    await delay(SAMPLE_MS);
  }
  const { openMax, firstP99Ms } = await watching;
  const mib = (bytes: number) => (bytes / MIB).toFixed(0);
  return {
    name: `RSS with ${count} streaming runs`,
    value: peak / MIB,
    unit: 'MiB',
    target: { at: '≤', value: RSS_MIB_MAX },
    note: `from ${mib(before)} MiB; ${openMax} open together, p99 of the first event ${firstP99Ms.toFixed(0)} ms, all ended after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  };
}
