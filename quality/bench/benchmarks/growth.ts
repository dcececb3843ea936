import { join } from 'node:path';
import { createPostgresDatabase } from '../../../test/support/databases.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Kind } from '../../campaigns/tenants/id-fields.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';
import { cpuTimeOf } from '../growth/cpu-time-of.ts';
import { families } from '../growth/families.ts';
import { median } from '../statistics.ts';

const SERVE = new URL('../processes/serve-grown.ts', import.meta.url);
const GROWTH_MAX = 1.5;
const FEW = 1000;
/** Code that is not yet compiled would make few rows look slow: it is called often enough before. */
const SIZES = {
  full: { many: Number(process.env.TRAMONTANE_BENCH_ROWS ?? 1_000_000), times: 20, warmUps: 200 },
  quick: { many: 5000, times: 5, warmUps: 5 },
};
/** A list that grows with its table would otherwise take minutes for its requests. */
const READ_MS_MAX = 10_000;
/** For filling only: reads need neither. */
const SETTINGS = ['maintenance_work_mem=512MB', 'max_wal_size=8GB'];
const OPEN_LIMIT_MS = 300_000;
const FILL_LIMIT_MS = 900_000;
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
        const figure = await measureFamily(database, name, child, address, options);
        options.progress(`growth: ${database}, ${name} ${figure.value.toFixed(2)} ×: ${figure.note}`);
        figures.push(figure);
        // The last one goes with its database.
        if (name !== names.at(-1)) await child.ask('empty', { name, count: rowsOf(options) }, FILL_LIMIT_MS);
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

/** The worst of its lists; the note has all of them. */
async function measureFamily(
  database: string,
  name: string,
  child: Child,
  address: Address,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure> {
  const { many, times, warmUps } = quick ? SIZES.quick : SIZES.full;
  const reads = families[name]?.reads ?? [];
  const timed = async (rows: number, count = times) => {
    const all = [];
    for (const read of reads) {
      const pids = await child.ask<number[]>('workers');
      all.push(await timeOf(address, pathOf(read, rows, address), count, pids));
    }
    return all;
  };
  await child.ask('fill', { name, from: 0, to: FEW }, FILL_LIMIT_MS);
  await timed(FEW, warmUps);
  const few = await timed(FEW);
  const began = performance.now();
  await child.ask('fill', { name, from: FEW, to: many }, FILL_LIMIT_MS);
  progress(`growth: ${database}, ${name} filled in ${Math.round((performance.now() - began) / 1000)} s`);
  await timed(many);
  const large = await timed(many);
  const ratios = reads.map((read, i) => ({ read, few: few[i] ?? 0, many: large[i] ?? 0 }));
  const worst = Math.max(...ratios.map((ratio) => ratio.many / ratio.few));
  return {
    name: `${database}: ${name}, the slowest of ${reads.length} against itself`,
    value: worst,
    unit: '×',
    target: { at: '≤', value: GROWTH_MAX },
    note: ratios
      .map((ratio) => `${ratio.read} ${(ratio.many / ratio.few).toFixed(2)} (${ratio.many.toFixed(2)} ms)`)
      .join('; '),
  };
}

function pathOf(read: string, rows: number, { ids }: Address): string {
  return read
    .replaceAll('{half}', String(rows / 2))
    .replaceAll(/\{middle:(\d+)\}/g, (_, size) => String(Math.floor(rows / 2 / Number(size))))
    .replaceAll(/\{(\w+)\}/g, (_, kind) => ids[kind as Kind] ?? '');
}

/** The median of the CPU time of server and database, in milliseconds: it does not depend on what else the machine does. */
async function timeOf(
  { url, key, adminKey }: Address,
  read: string,
  times: number,
  pids: readonly number[],
): Promise<number> {
  const [method, path] = read.startsWith('POST ') ? ['POST', read.slice(5)] : ['GET', read];
  const headers: Record<string, string> = path.startsWith('/v1/admin/')
    ? { 'x-api-key': adminKey }
    : { authorization: `Bearer ${key}` };
  const init =
    method === 'GET'
      ? { headers }
      : { method, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
  const seen: number[] = [];
  const until = performance.now() + READ_MS_MAX;
  for (let n = 0; n < times && (n === 0 || performance.now() < until); n++) {
    const before = cpuTimeOf(pids);
    const response = await fetch(url + path, init);
    const text = await response.text();
    seen.push(cpuTimeOf(pids) - before);
    if (!response.ok) throw new Error(`${read}: ${response.status} ${text.slice(0, 200)}`);
  }
  return median(seen);
}
