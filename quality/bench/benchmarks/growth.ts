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
const ROUNDS = 5;
const FEW = 1000;
/** Code that is not yet compiled would make reads look slow: it is called often enough before. */
const SIZES = {
  full: { many: Number(process.env.TRAMONTANE_BENCH_ROWS ?? 1_000_000), times: 8, warmUps: 80 },
  quick: { many: 5000, times: 3, warmUps: 5 },
};
/** A list that grows with its table would otherwise take minutes for its requests. */
const READ_MS_MAX = 3000;
/** For filling only: reads need neither. */
const SETTINGS = ['maintenance_work_mem=512MB', 'max_wal_size=8GB'];
const REST_MS = 3;
const SETTLE_MS = 500;
const SETTLE_MS_MAX = 30_000;
const IDLE_SHARE = 0.05;
const OPEN_LIMIT_MS = 300_000;
const FILL_LIMIT_MS = 3_600_000;
/** The short form shows that filling and reading work, and leaves the rest to the full one. */
const QUICK_FAMILIES = ['users', 'files', 'prompts'];

type Address = { url: string; key: string; adminKey: string; ids: Partial<Record<Kind, string>> };
/** A server, how many rows its tables get, and where later pages begin. */
type Side = { child: Child; address: Address; rows: number; next: Map<string, string> };

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
      const found = await measure('PostgreSQL', () => createPostgresDatabase(postgres.url), options);
      return [...figures, ...found];
    } finally {
      await postgres.stop();
    }
  },
};

/** Two servers, one with few rows and one with many, are read by turns: what else the machine does slows down both alike. */
function measure(
  database: string,
  createDatabase: (() => Promise<string>) | undefined,
  options: BenchmarkOptions,
): Promise<Figure[]> {
  return inTemporaryDir((directory) =>
    withChildren(directory, async (start) => {
      let opened = 0;
      const open = async (rows: number): Promise<Side> => {
        const args = [join(directory, String(++opened)), ...(createDatabase ? [await createDatabase()] : [])];
        const child = start(SERVE, { role: 'free', args });
        const address = await child.ask<Address>('address', undefined, OPEN_LIMIT_MS);
        return { child, address, rows, next: new Map() };
      };
      const openBoth = async () => [await open(FEW), await open(rowsOf(options))] as const;
      let sides = await openBoth();
      const figures: Figure[] = [];
      const names = chosen(options.quick);
      for (const [i, name] of names.entries()) {
        options.progress(`growth: ${database}, ${name}`);
        for (const figure of await measureFamily(database, name, sides, options)) {
          // A run takes hours: what it has found so far stays on the screen.
          (options.tried ?? options.progress)(`growth: ${figure.name} ${figure.value.toFixed(2)} ×: ${figure.note}`);
          figures.push(figure);
        }
        // To delete a million rows takes longer than to begin anew.
        if (!names.slice(i + 1).some((other) => shareTables(name, other))) continue;
        for (const { child } of sides) await child.end();
        sides = await openBoth();
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
  sides: readonly [few: Side, many: Side],
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  const { times, warmUps } = quick ? SIZES.quick : SIZES.full;
  const { reads = [], growing = {} } = families[name] ?? {};
  const all = [...reads, ...Object.keys(growing)];
  const began = performance.now();
  for (const side of sides) {
    await side.child.ask('fill', { name, from: 0, to: FEW }, FILL_LIMIT_MS);
    for (const read of all) await findNext(side, read);
    if (side.rows > FEW) await side.child.ask('fill', { name, from: FEW, to: side.rows }, FILL_LIMIT_MS);
    await settle(side.child);
  }
  progress(`growth: ${database}, ${name} filled in ${Math.round((performance.now() - began) / 1000)} s`);
  const timed = async (rounds: number, count: number) => {
    const least = sides.map(() => all.map(() => Number.POSITIVE_INFINITY));
    for (let round = 0; round < rounds; round++)
      for (const [i, read] of all.entries())
        for (const [n, side] of sides.entries()) {
          const ms = await timeOf(side, read, count);
          const known = least[n] ?? [];
          known[i] = Math.min(known[i] ?? ms, ms);
        }
    return least;
  };
  await timed(1, warmUps);
  const [few = [], large = []] = await timed(ROUNDS, times);
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

const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
const NEXT = /[?&]\w+=\{next:([\w.]+)\}/;

/** Where the page after the first one begins. */
async function findNext(side: Side, read: string): Promise<void> {
  const [text, name = ''] = NEXT.exec(read) ?? [];
  if (text === undefined) return;
  const first = read.replace(text, text.startsWith('?') ? '?' : '');
  const { path, init } = requestOf(side.address, pathOf(first, side));
  const found = name
    .split('.')
    .reduce<unknown>(
      (part, member) => (part as Record<string, unknown> | undefined)?.[member],
      await (await fetch(side.address.url + path, init)).json(),
    );
  if (typeof found !== 'string') throw new Error(`${read}: the first page has no ${name}.`);
  side.next.set(read, encodeURIComponent(found));
}

function pathOf(read: string, { rows, next, address: { ids } }: Side): string {
  return read
    .replace(/\{next:[\w.]+\}/, next.get(read) ?? '')
    .replaceAll('{half}', String(rows / 2))
    .replaceAll('{last}', String(rows))
    .replaceAll('{any}', () => String(rowAnywhere(rows)))
    .replaceAll(/\{middle:(\d+)\}/g, (_, size) => String(Math.floor(rows / 2 / Number(size))))
    .replaceAll(/\{(\w+)\}/g, (_, kind) => ids[kind as Kind] ?? '');
}

let picked = 0;

/** Another one each time, far from the one before: nothing in memory has it yet, however many rows there are. */
function rowAnywhere(rows: number): number {
  picked += 1;
  return 1 + Math.floor(((picked * GOLDEN_RATIO) % 1) * rows);
}

/**
 * The CPU time of server and database in milliseconds, which depends little on what else the machine does. That of the quicker
 * reads in the best of some rounds: garbage, tasks in the background and neighbours come with some, however many rows there are.
 */
async function timeOf(side: Side, read: string, times: number): Promise<number> {
  const { address, child } = side;
  const pids = await child.ask<number[]>('workers');
  const seen: number[] = [];
  const until = performance.now() + READ_MS_MAX;
  for (let n = 0; n < times && (n === 0 || performance.now() < until); n++) {
    const { path, init, isStream } = requestOf(address, pathOf(read, side));
    const before = cpuTimeOf(pids);
    const response = await fetch(address.url + path, init);
    const text = isStream && response.ok ? await firstEventOf(response) : await response.text();
    // What a thread has used is known when it rests.
    await delay(REST_MS);
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
