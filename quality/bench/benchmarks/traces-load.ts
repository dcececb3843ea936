import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresDatabase } from '../../../test/support/databases.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const P50_RATIO_MAX = 1.3;
const STORED_SHARE_MIN = 0.99;
const RATES = { sqlite: 1000, postgres: 2000 };
type Kind = keyof typeof RATES;
/** How long spans come in; ten minutes are what the targets are about. */
const SECONDS = Number(process.env.TRAMONTANE_BENCH_SECONDS ?? 30);
const ONLY = process.env.TRAMONTANE_BENCH_DATABASE;
const CHATS_PER_SECOND = 100;
const WINDOW_MS = 3000;
const WARM_MS = 5000;
/** Spans are written within a second. */
const SETTLE_MS = 2500;
const NAMES: Record<Kind, string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

export const tracesLoad: Benchmark = {
  name: 'traces-load',
  summary: 'spans of clients at a steady rate, and the chats of others beside them',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const figures = ONLY === 'postgres' ? [] : await measure(directory, 'sqlite', undefined, options);
      const programs = ONLY === 'sqlite' ? undefined : findPrograms();
      if (!programs) return figures;
      const server = await startPostgres(programs);
      try {
        const url = await createPostgresDatabase(server.url);
        return [...figures, ...(await measure(directory, 'postgres', url, options))];
      } finally {
        await server.stop();
      }
    }),
};

/** The server has one core; the clients, and PostgreSQL, have the other. */
function measure(
  directory: string,
  kind: Kind,
  url: string | undefined,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  return withChildren(directory, async (start) => {
    const home = join(directory, kind);
    mkdirSync(home);
    const generator = start(script('generate-load'), { role: 'load', urgent: true });
    const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
    const sender = start(script('send-spans'), { role: 'load' });
    const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
    const config = join(home, 'tramontane.yaml');
    writeFileSync(
      config,
      `models:\n  - id: bench\n    engine: upstream\n    url: http://127.0.0.1:${upstreamPort}/v1\n`,
    );
    const env: Record<string, string> = { TRAMONTANE_DATA_DIR: join(home, 'data'), TRAMONTANE_CONFIG: config };
    if (url) env.TRAMONTANE_DATABASE_URL = url;
    const platform = start(script('serve-platform'), { role: 'server', urgent: true, env });
    const { port, key } = await platform.ask<{ port: number; key: string }>('address');
    const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'A question. '.repeat(75) }] });
    const target = { port, key, path: '/v1/chat/completions', body };
    const chats = (durationMs: number) =>
      generator.ask<Load>('openLoop', { target, connections: 16, durationMs, perSecond: CHATS_PER_SECOND });
    const seconds = quick ? 4 : SECONDS;
    const windowMs = quick ? 1000 : WINDOW_MS;
    const perSecond = RATES[kind];
    await chats(quick ? 500 : WARM_MS);
    const quiet = [await chats(windowMs), await chats(windowMs)];
    const startedAt = Date.now();
    const cpuBefore = await platform.ask<number>('cpuMicros');
    await sender.ask('begin', { port, key, perSecond });
    const beside: Load[] = [];
    while (Date.now() - startedAt < seconds * 1000) {
      progress(`traces-load: ${NAMES[kind]}, ${Math.round((Date.now() - startedAt) / 1000)} of ${seconds} s`);
      beside.push(await chats(windowMs));
    }
    const elapsed = (Date.now() - startedAt) / 1000;
    const taken = await sender.ask<number>('end');
    const cpu = ((await platform.ask<number>('cpuMicros')) - cpuBefore) / 1e6 / elapsed;
    await delay(SETTLE_MS);
    quiet.push(await chats(windowMs), await chats(windowMs));
    const stored = await countSpans(port, key, startedAt);
    const p50 = (loads: Load[]) => median(loads.map(({ p50Ms }) => p50Ms));
    const p99 = (loads: Load[]) => median(loads.map(({ p99Ms }) => p99Ms));
    return [
      {
        name: `${NAMES[kind]}: spans/s of a client that are stored, at ${perSecond}/s for ${Math.round(elapsed)} s`,
        value: stored / elapsed,
        unit: '/s',
        target: { at: '≥', value: perSecond * STORED_SHARE_MIN },
        note: `${stored} stored, ${taken} taken; ${(cpu * 100).toFixed(0)}% of a core with ${CHATS_PER_SECOND} chats/s`,
      },
      {
        name: `${NAMES[kind]}: p50 of chats beside ${perSecond} spans/s vs alone`,
        value: p50(beside) / p50(quiet),
        unit: '×',
        target: { at: '≤', value: P50_RATIO_MAX },
        note: `${p50(beside).toFixed(2)} vs ${p50(quiet).toFixed(2)} ms; p99 ${p99(beside).toFixed(1)} vs ${p99(quiet).toFixed(1)} ms`,
      },
    ];
  });
}

async function countSpans(port: number, key: string, sinceMs: number): Promise<number> {
  const from = encodeURIComponent(new Date(sinceMs - 60_000).toISOString());
  const response = await fetch(`http://127.0.0.1:${port}/v1/observability/spans/aggregate?from=${from}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      metric: { measure: 'span_id', aggregation: 'count' },
      search_expression: "service_name = 'bench-client'",
      limit: 1,
    }),
  });
  const { data } = (await response.json()) as { data?: { metric_value: number }[] };
  return data?.[0]?.metric_value ?? 0;
}
