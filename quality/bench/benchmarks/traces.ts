import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresDatabase } from '../../../test/support/databases.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';
import type { Target } from '../processes/connection.ts';
import type { Load } from '../processes/generate-load.ts';
import { bytesPerSpan, loadSpans, type Opened, openTraces, scope } from '../processes/store-spans.ts';
import { median, percentile } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const CPU_RATIO_MAX = 1.3;
const SEARCH_MS_MAX = 200;
const AGGREGATION_MS_MAX = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Of thirty days. Another number for a shorter look. */
const SPANS = Number(process.env.TRAMONTANE_BENCH_SPANS ?? 10_000_000);
const ROUNDS = 16;
const WARM_ROUNDS = 40;
const BURST_MS = 500;
/** Spans are written within a second. */
const SETTLE_MS = 1200;
const WARM_SETTLE_MS = 20;
const PATH = '/v1/chat/completions';
const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'A question. '.repeat(75) }] });

/** By each index, and by the order of the rows. */
const SEARCHES = [
  '',
  "status_code = 'Error'",
  "conversation_id = 'conv_1230'",
  "request_model = 'code'",
  "trace_id = '00000000000000000000000000000000'",
  "feedback_rating = 'down'",
];

export const traces: Benchmark = {
  name: 'traces',
  summary: 'what tracing adds to a chat, and searches over ten million spans of thirty days',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const figures = [await compareCpu(directory, options)];
      figures.push(...(await measureStore(join(directory, 'sqlite'), undefined, options)));
      const programs = findPrograms();
      if (!programs) return figures;
      const server = await startPostgres(programs);
      try {
        const url = await createPostgresDatabase(server.url);
        figures.push(...(await measureStore(join(directory, 'postgres'), url, options)));
      } finally {
        await server.stop();
      }
      return figures;
    }),
};

/** Two servers on one core, asked in turns: one with `traces.enabled: false`. */
function compareCpu(directory: string, { quick, progress }: BenchmarkOptions): Promise<Figure> {
  return withChildren(directory, async (start) => {
    const generator = start(script('generate-load'), { role: 'load', urgent: true });
    const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
    const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
    const serve = async (enabled: boolean) => {
      const home = join(directory, enabled ? 'on' : 'off');
      mkdirSync(home);
      const config = join(home, 'tramontane.yaml');
      const model = `models:\n  - id: bench\n    engine: upstream\n    url: http://127.0.0.1:${upstreamPort}/v1\n`;
      writeFileSync(config, `${model}traces: { enabled: ${enabled} }\n`);
      const env = { TRAMONTANE_DATA_DIR: join(home, 'data'), TRAMONTANE_CONFIG: config };
      const child = start(script('serve-platform'), { role: 'server', urgent: true, env });
      const { port, key } = await child.ask<{ port: number; key: string }>('address');
      return { child, target: { port, path: PATH, key, body } };
    };
    const [on, off] = [await serve(true), await serve(false)];
    const measure = async ({ child, target }: { child: Child; target: Target }, settleMs: number) => {
      const before = await child.ask<number>('cpuMicros');
      const { requests } = await generator.ask<Load>('closedLoop', { target, connections: 32, durationMs: BURST_MS });
      // Until its spans are written: they are part of what a chat costs.
      await delay(settleMs);
      return ((await child.ask<number>('cpuMicros')) - before) / requests;
    };
    const pairs: { on: number; off: number }[] = [];
    for (let i = 0; i < (quick ? 2 : WARM_ROUNDS + ROUNDS); i++) {
      progress(`traces: CPU per chat, round ${i + 1}`);
      const settleMs = quick || i < WARM_ROUNDS ? WARM_SETTLE_MS : SETTLE_MS;
      const first = i % 2 === 0 ? await measure(on, settleMs) : undefined;
      const without = await measure(off, settleMs);
      pairs.push({ on: first ?? (await measure(on, settleMs)), off: without });
    }
    const counted = pairs.slice(quick ? 0 : WARM_ROUNDS);
    return {
      name: 'CPU per chat with tracing vs without',
      value: median(counted.map((pair) => pair.on / pair.off)),
      unit: '×',
      target: { at: '≤', value: CPU_RATIO_MAX },
      note: `${median(counted.map((pair) => pair.on)).toFixed(0)} vs ${median(counted.map((pair) => pair.off)).toFixed(0)} µs`,
    };
  });
}

async function measureStore(
  directory: string,
  url: string | undefined,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  mkdirSync(directory);
  const name = url ? 'PostgreSQL' : 'SQLite';
  const opened = await openTraces(directory, url);
  try {
    const count = quick ? 20_000 : SPANS;
    await loadSpans(opened, count, (done) => progress(`traces: ${name}, ${done} of ${count} spans`));
    const bytes = await bytesPerSpan(opened, count);
    progress(`traces: ${name}, searches`);
    const searches: { expression: string; ms: number[] }[] = [];
    for (const expression of SEARCHES)
      searches.push({ expression, ms: await time(20, () => search(opened, expression)) });
    const slowest = searches.toSorted((a, b) => percentile(b.ms, 0.95) - percentile(a.ms, 0.95))[0];
    const aggregations = await time(10, () => aggregate(opened));
    return [
      {
        name: `${name}: search of ${count} spans, p95 of the slowest filter`,
        value: percentile(slowest?.ms ?? [], 0.95),
        unit: 'ms',
        target: { at: '≤', value: SEARCH_MS_MAX },
        note: searches
          .map(({ expression, ms }) => `${expression || 'newest'}: ${percentile(ms, 0.95).toFixed(0)}`)
          .join('; '),
      },
      {
        name: `${name}: p95 of durations by model and hour, over a day of ${count} spans`,
        value: percentile(aggregations, 0.95),
        unit: 'ms',
        target: { at: '≤', value: AGGREGATION_MS_MAX },
      },
      { name: `${name}: disk per span`, value: bytes, unit: 'bytes' },
    ];
  } finally {
    await opened.traces.stop();
    await opened.database.close();
  }
}

async function time(times: number, run: () => Promise<unknown>): Promise<number[]> {
  const ms: number[] = [];
  for (let i = 0; i <= times; i++) {
    const startedAt = performance.now();
    await run();
    // The first one starts the thread that reads.
    if (i > 0) ms.push(performance.now() - startedAt);
  }
  return ms;
}

const caller = () => ({ scope, signal: new AbortController().signal });

function search({ traces: service }: Opened, search_expression: string): Promise<unknown> {
  return service.searchSpans(caller(), { page_size: 50 }, { search_expression });
}

function aggregate({ traces: service }: Opened): Promise<unknown> {
  const to = new Date(Date.now() - 10 * DAY_MS);
  const from = new Date(to.getTime() - DAY_MS).toISOString();
  return service.aggregate(
    caller(),
    'spans',
    { from, to: to.toISOString() },
    {
      metric: { measure: 'duration_ns', aggregation: 'p95' },
      dimensions: ['request_model'],
      time_dimension: { granularity: 'hour' },
      limit: 1000,
    },
  );
}
