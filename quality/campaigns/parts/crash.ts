import { join } from 'node:path';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import { hasStore, startStore } from '../../../test/support/s3.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir, withChildren } from '../../bench/children.ts';
import { percentile } from '../../bench/statistics.ts';
import { type CrashResult, crashAgainAndAgain } from '../crash/campaign.ts';
import { usesStore } from '../platform/uses-store.ts';
import { repeats as repeatsOf } from '../support/share.ts';
import { openPostgresTables } from '../writes/open-tables.ts';

const KILLS = { full: repeatsOf(200), quick: 2 };
const READY_MS = 2000;

export const crash: Benchmark = {
  name: 'crash',
  summary:
    'the server killed with kill -9 at random moments under 50 writers of every kind, on SQLite and PostgreSQL, and with files in a store',
  async run(options) {
    const figures = options.quick && usesStore ? [] : await killing('SQLite', options);
    if (usesStore || (!options.quick && hasStore)) figures.push(...(await onStore(options)));
    const programs = findPrograms();
    // The short form uses one of the two databases; the cluster tests kill servers on the other.
    if (options.quick || !programs) return figures;
    const postgres = await startPostgres(programs);
    try {
      return [...figures, ...(await killing('PostgreSQL', options, postgres.url)), await deadlocks(postgres.url)];
    } finally {
      await postgres.stop();
    }
  },
};

/** Deadlocked writers wait a second until PostgreSQL notices and one of them retries. */
async function deadlocks(url: string): Promise<Figure> {
  const tables = openPostgresTables(url);
  const [row] = await tables.query<{ count: string }>('select sum(deadlocks) as count from pg_stat_database');
  await tables.close();
  const name = 'PostgreSQL: writers that waited for each other';
  return { name, value: Number(row?.count), unit: '', target: { at: '≤', value: 0 } };
}

async function onStore(options: BenchmarkOptions): Promise<Figure[]> {
  const store = await startStore();
  try {
    return await killing('SQLite and a store', options, undefined, store.environment);
  } finally {
    await store.stop();
  }
}

function killing(
  name: string,
  { quick, progress }: BenchmarkOptions,
  databaseUrl?: string,
  store?: Record<string, string>,
): Promise<Figure[]> {
  return inTemporaryDir((dir) =>
    withChildren(dir, async (start) => {
      const kills = quick ? KILLS.quick : KILLS.full;
      const result = await crashAgainAndAgain({
        start,
        dir: join(dir, 'place'),
        kills,
        databaseUrl,
        store,
        progress: (text) => progress(`${name}: ${text}`),
      });
      return figuresOf(name, kills, quick, result);
    }),
  );
}

function figuresOf(name: string, kills: number, quick: boolean, result: CrashResult): Figure[] {
  const { lost, doubled, wrong, damage, refusals, unsettled, readyMs, writes, repeats } = result;
  const zero = (what: string, found: string[], note = ''): Figure => ({
    name: `${name}: ${what}`,
    value: found.length,
    unit: '',
    target: { at: '≤', value: 0 },
    note: found.length > 0 ? found.slice(0, 5).join('; ') : note,
  });
  const ready: Figure = { name: `${name}: ready again, slowest`, value: Math.max(...readyMs), unit: 'ms' };
  return [
    zero('acknowledged writes lost', lost, `${writes} acknowledged, ${kills} kills, ${repeats} repeats`),
    zero('writes done twice', doubled),
    zero('wrong ends of executions and jobs', [...wrong, ...unsettled]),
    zero('damage in the tables', damage),
    zero('repeats that were refused', refusals),
    {
      ...ready,
      // Two starts on a busy machine say nothing about the slowest of two hundred.
      ...(quick ? {} : { target: { at: '<', value: READY_MS } }),
      note: `median ${Math.round(percentile(readyMs, 0.5))} ms, p95 ${Math.round(percentile(readyMs, 0.95))} ms`,
    },
  ];
}
