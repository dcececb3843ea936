import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresDatabase } from '../../../test/support/databases.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Kind } from '../../campaigns/tenants/id-fields.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';
import { cpuTimeOf } from '../growth/cpu-time-of.ts';
import { families } from '../growth/families.ts';
import { percentile } from '../statistics.ts';

const SERVE = new URL('../processes/serve-grown.ts', import.meta.url);
const GROWTH_MAX = 1.5;
const QUICKER = 0.25;
const ROUNDS = 3;
const FEW = 1000;
/** Code that is not yet compiled would make few rows look slow: it is called often enough before. */
const SIZES = {
  full: { many: Number(process.env.TRAMONTANE_BENCH_ROWS ?? 1_000_000), times: 12, warmUps: 60 },
  quick: { many: 5000, times: 5, warmUps: 5 },
};
/** A list that grows with its table would otherwise take minutes for its requests. */
const READ_MS_MAX = 3000;
/** For filling only: reads need neither. */
const SETTINGS = ['maintenance_work_mem=512MB', 'max_wal_size=8GB'];
const SETTLE_MS = 500;
const SETTLE_MS_MAX = 30_000;
const IDLE_SHARE = 0.05;
const OPEN_LIMIT_MS = 300_000;
const FILL_LIMIT_MS = 3_600_000;
/** The short form shows that filling and reading work, and leaves the rest to the full one. */
const QUICK_FAMILIES = ['users', 'files', 'prompts'];

type Address = { url: string; key: string; adminKey: string; ids: Partial<Record<Kind, string>> };

export const growth: Benchmark = {
  name: 'growth',
  summary: 'every list and search with 1,000,000 rows in its table against 1,000, on SQLite and PostgreSQL',
  async run(options) {
    const kinds = process.env.TRAMONTANE_BENCH_DATABASE;
    const figures = kinds === 'postgres' ? [] : await measure('SQLite', undefined, options);
    const programs = findPrograms();
    if (kinds === 'sqlite' || options.quick) return figures;
    if (!programs) throw new Error("This benchmark starts a PostgreSQL: install Debian's package postgresql.");
    const postgres = await startPostgres(programs, SETTINGS);
    try {
      return [...figures, ...(await measure('PostgreSQL', await createPostgresDatabase(postgres.url), options))];
    } finally {
      await postgres.stop();
    }
  },
};

function measure(database: string, url: string | undefined, options: BenchmarkOptions): Promise<Figure[]> {
  return inTemporaryDir((directory) =>
    withChildren(directory, async (start) => {
      const child = start(SERVE, { role: 'free', args: [join(directory, 'place'), ...(url ? [url] : [])] });
      const address = await child.ask<Address>('address', undefined, OPEN_LIMIT_MS);
      const figures: Figure[] = [];
      const names = chosen(options.quick);
      for (const name of names) {
        options.progress(`growth: ${database}, ${name}`);
        for (const figure of await measureFamily(database, name, child, address, options)) {
          options.progress(`growth: ${figure.name} ${figure.value.toFixed(2)} ×: ${figure.note}`);
          figures.push(figure);
        }
        const others = names.slice(names.indexOf(name) + 1);
        if (others.some((other) => shareTables(name, other)))
          await child.ask('empty', { name, count: rowsOf(options) }, FILL_LIMIT_MS);
      }
      return figures;
    }),
  );
}

function chosen(quick: boolean): string[] {
  const asked = process.env.TRAMONTANE_BENCH_LISTS?.split(',');
  return asked ?? (quick ? QUICK_FAMILIES : Object.keys(families));
}

const rowsOf = ({ quick }: BenchmarkOptions) => (quick ? SIZES.quick : SIZES.full).many;

const shareTables = (one: string, other: string) =>
  Object.keys(families[one]?.tables ?? {}).some((table) => table in (families[other]?.tables ?? {}));

/** The worst of its reads, and the worst of those that grow by nature; the notes have all of them. */
async function measureFamily(
  database: string,
  name: string,
  child: Child,
  address: Address,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  const { many, times, warmUps } = quick ? SIZES.quick : SIZES.full;
  const { reads = [], growing = {} } = families[name] ?? {};
  const all = [...reads, ...Object.keys(growing)];
  const next = new Map<string, string>();
  const timed = async (rows: number, count = times) => {
    const least = all.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, read] of all.entries()) {
        const pids = await child.ask<number[]>('workers');
        const ms = await timeOf(address, pathOf(read, rows, address, next), count, pids);
        least[i] = Math.min(least[i] ?? ms, ms);
      }
    return least;
  };
  await child.ask('fill', { name, from: 0, to: FEW }, FILL_LIMIT_MS);
  for (const read of all) await findNext(address, read, FEW, next);
  await timed(FEW, warmUps);
  const few = await timed(FEW);
  const began = performance.now();
  await child.ask('fill', { name, from: FEW, to: many }, FILL_LIMIT_MS);
  progress(`growth: ${database}, ${name} filled in ${Math.round((performance.now() - began) / 1000)} s`);
  await settle(child);
  await timed(many);
  const large = await timed(many);
  const ratios = all.map((read, i) => ({ read, ratio: (large[i] ?? 0) / (few[i] ?? 1), ms: large[i] ?? 0 }));
  const worstOf = (chosen: typeof ratios): Omit<Figure, 'name'> => ({
    value: Math.max(...chosen.map(({ ratio }) => ratio)),
    unit: '×',
    note: chosen
      .map(({ read, ratio, ms }) => [`${read} ${ratio.toFixed(2)} (${ms.toFixed(2)} ms)`, growing[read]])
      .map(([text, reason]) => (reason ? `${text}: ${reason}` : text))
      .join('; '),
  });
  return [
    {
      name: `${database}: ${name}, the slowest of ${reads.length} against itself`,
      ...worstOf(ratios.filter(({ read }) => !(read in growing))),
      target: { at: '≤', value: GROWTH_MAX },
    },
    ...(Object.keys(growing).length === 0
      ? []
      : [
          {
            name: `${database}: ${name}, what grows by nature`,
            ...worstOf(ratios.filter(({ read }) => read in growing)),
          },
        ]),
  ];
}

/** After many writes the log of SQLite is still being copied to its file, by a thread whose time would count as that of reads. */
async function settle(child: Child): Promise<void> {
  const pids = await child.ask<number[]>('workers');
  for (let waited = 0; waited < SETTLE_MS_MAX; waited += SETTLE_MS) {
    const before = cpuTimeOf(pids);
    await delay(SETTLE_MS);
    if (cpuTimeOf(pids) - before < SETTLE_MS * IDLE_SHARE) return;
  }
}

const NEXT = /[?&]\w+=\{next:([\w.]+)\}/;

/** Where the page after the first one begins. */
async function findNext(address: Address, read: string, rows: number, next: Map<string, string>): Promise<void> {
  const [text, name = ''] = NEXT.exec(read) ?? [];
  if (text === undefined) return;
  const { path, init } = requestOf(
    address,
    pathOf(read.replace(text, text.startsWith('?') ? '?' : ''), rows, address, next),
  );
  const found = name
    .split('.')
    .reduce<unknown>(
      (part, member) => (part as Record<string, unknown> | undefined)?.[member],
      await (await fetch(address.url + path, init)).json(),
    );
  if (typeof found !== 'string') throw new Error(`${read}: the first page has no ${name}.`);
  next.set(read, encodeURIComponent(found));
}

function pathOf(read: string, rows: number, { ids }: Address, next: ReadonlyMap<string, string>): string {
  return read
    .replace(/\{next:[\w.]+\}/, next.get(read) ?? '')
    .replaceAll('{half}', String(rows / 2))
    .replaceAll('{last}', String(rows))
    .replaceAll(/\{middle:(\d+)\}/g, (_, size) => String(Math.floor(rows / 2 / Number(size))))
    .replaceAll(/\{(\w+)\}/g, (_, kind) => ids[kind as Kind] ?? '');
}

/**
 * The CPU time of server and database in milliseconds, which depends little on what else the machine does. That of the quicker
 * reads in the best of some rounds: garbage, tasks in the background and neighbours come with some, however many rows there are.
 */
async function timeOf(address: Address, read: string, times: number, pids: readonly number[]): Promise<number> {
  const { path, init, isStream } = requestOf(address, read);
  const seen: number[] = [];
  const until = performance.now() + READ_MS_MAX;
  for (let n = 0; n < times && (n === 0 || performance.now() < until); n++) {
    const before = cpuTimeOf(pids);
    const response = await fetch(address.url + path, init);
    const text = isStream && response.ok ? await firstEventOf(response) : await response.text();
    seen.push(cpuTimeOf(pids) - before);
    if (!response.ok) throw new Error(`${read}: ${response.status} ${text.slice(0, 200)}`);
  }
  return percentile(seen, QUICKER);
}

function requestOf({ key, adminKey }: Address, read: string) {
  const [, kind = 'GET', path = ''] = /^(?:(POST|STREAM) )?(.*)$/.exec(read) ?? [];
  const headers: Record<string, string> = path.startsWith('/v1/admin/')
    ? { 'x-api-key': adminKey }
    : { authorization: `Bearer ${key}` };
  const init: RequestInit =
    kind === 'POST'
      ? { method: kind, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
      : { headers };
  return { path, init, isStream: kind === 'STREAM' };
}

/** Leaves the stream after it. */
async function firstEventOf({ body }: Response): Promise<string> {
  let text = '';
  if (body)
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (/^data:[\s\S]*\n\n/m.test(text)) return text;
    }
  throw new Error(`The stream ended without an event: ${text.slice(0, 200)}`);
}
