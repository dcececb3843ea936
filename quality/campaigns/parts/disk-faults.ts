import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import { hasStore, startStore } from '../../../test/support/s3.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir, withChildren } from '../../bench/children.ts';
import { sufferFaults } from '../disk-faults/campaign.ts';
import { canInjectFaults } from '../disk-faults/inject-faults.ts';
import { loseDatabase } from '../disk-faults/lose-database.ts';
import type { Tally } from '../disk-faults/tally.ts';
import { usesStore } from '../platform/uses-store.ts';
import { repeats } from '../support/share.ts';

const FULL = { rounds: repeats(5), calls: repeats(200), losses: repeats(10) };
const QUICK = { rounds: 1, calls: 4 };

export const diskFaults: Benchmark = {
  name: 'disk-faults',
  summary: 'a disk that is full, read-only, broken or does not sync, one failing call at every place, PostgreSQL away',
  isPossible: canInjectFaults,
  async run(options) {
    if (!canInjectFaults()) throw new Error('faults of a disk need Linux and a C compiler (cc)');
    const figures = options.quick && usesStore ? [] : await onBadDisk('a bad disk', options);
    if (usesStore || (!options.quick && hasStore)) figures.push(...(await onStore(options)));
    const programs = findPrograms();
    if (options.quick || !programs) return figures;
    const postgres = await startPostgres(programs);
    try {
      return [...figures, ...(await withoutDatabase(options, postgres.url))];
    } finally {
      await postgres.stop();
    }
  },
};

/** Files are elsewhere, and what is written on their way there is on the bad disk. */
async function onStore(options: BenchmarkOptions): Promise<Figure[]> {
  const store = await startStore();
  try {
    return await onBadDisk('a bad disk and a store', options, store.environment);
  } finally {
    await store.stop();
  }
}

function onBadDisk(
  name: string,
  { quick, progress }: BenchmarkOptions,
  store?: Record<string, string>,
): Promise<Figure[]> {
  return inTemporaryDir((dir) => {
    // The logs of the processes are on the faulty disk too.
    const disk = join(dir, 'disk');
    mkdirSync(disk);
    return withChildren(disk, async (start) => {
      const { rounds, calls } = quick ? QUICK : FULL;
      const control = join(dir, 'control');
      const withCommands = !quick && store === undefined;
      const result = await sufferFaults({ start, dir: disk, control, rounds, calls, withCommands, store, progress });
      const note = `${result.done} writes done, ${result.refused} refused, ${result.calls} single calls failed`;
      return figuresOf(name, result.tally, note);
    });
  });
}

function withoutDatabase({ progress }: BenchmarkOptions, databaseUrl: string): Promise<Figure[]> {
  return inTemporaryDir((dir) =>
    withChildren(dir, async (start) => {
      const tally = await loseDatabase({ start, dir, databaseUrl, rounds: FULL.losses, progress });
      return figuresOf('PostgreSQL away', tally, `${FULL.losses} times`);
    }),
  );
}

const WORDS: Record<keyof Tally, string> = {
  unread: 'reads and answers of models that failed',
  untyped: 'refusals that are no 503 or 507 with what to do',
  silent: 'times that /readyz or a command did not tell',
  notBack: 'writes that were refused when it was over',
  lost: 'acknowledged writes lost or doubled',
  half: 'half rows and other damage',
  ended: 'ends of the process',
  leftOver: 'half files left behind',
};

function figuresOf(name: string, tally: Tally, note: string): Figure[] {
  return (Object.keys(WORDS) as (keyof Tally)[]).map((promise) => ({
    name: `${name}: ${WORDS[promise]}`,
    value: tally[promise].length,
    unit: '',
    target: { at: '≤', value: 0 },
    note: tally[promise].slice(0, 5).join('; ') || note,
  }));
}
