import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';

const SERVE_PLATFORM = new URL('../processes/serve-platform.ts', import.meta.url);
const STATEMENTS_MAX = 4;
const CPU_PERCENT_MAX = 0.5;
/** Until the collector has given back what loading the program left behind. */
const SETTLE_MS = 45_000;
const WATCHED_MS = 60_000;
const STATEMENTS_SHOWN = 4;

type Counts = { count: number; byText: [sql: string, count: number][] };

export const idle: Benchmark = {
  name: 'idle',
  summary: 'a server that nobody uses, on SQLite and on PostgreSQL: statements and CPU time a second',
  async run(options) {
    options.progress('SQLite');
    const onSqlite = await measure('SQLite', {}, options);
    const bin = findPrograms();
    if (!bin) throw new Error("This benchmark starts a PostgreSQL: install Debian's package postgresql.");
    const postgres = await startPostgres(bin);
    try {
      options.progress('PostgreSQL');
      return [...onSqlite, ...(await measure('PostgreSQL', { TRAMONTANE_DATABASE_URL: postgres.url }, options))];
    } finally {
      await postgres.stop();
    }
  },
};

function measure(name: string, env: Record<string, string>, { quick }: BenchmarkOptions): Promise<Figure[]> {
  return inTemporaryDir((directory) =>
    withChildren(directory, async (start) => {
      const server = start(SERVE_PLATFORM, {
        role: 'server',
        env: { TRAMONTANE_DATA_DIR: join(directory, 'data'), ...env },
      });
      await server.ask('address');
      await server.ask('rest');
      await delay(quick ? 1000 : SETTLE_MS);
      const watchedMs = quick ? 3000 : WATCHED_MS;
      await server.ask('countStatements');
      const cpuBefore = await server.ask<number>('cpuMicros');
      await delay(watchedMs);
      const cpuMicros = (await server.ask<number>('cpuMicros')) - cpuBefore;
      const { count, byText } = await server.ask<Counts>('statements');
      const perSecond = (of: number) => of / (watchedMs / 1000);
      const most = byText
        .slice(0, STATEMENTS_SHOWN)
        .map(([sql, of]) => `${perSecond(of).toFixed(1)} ${sql.slice(0, 50)}`);
      return [
        {
          name: `${name}: statements a second`,
          value: perSecond(count),
          unit: '/s',
          target: { at: '≤', value: STATEMENTS_MAX },
          note: most.join('; '),
        },
        {
          name: `${name}: CPU of the server`,
          value: cpuMicros / watchedMs / 10,
          unit: '%',
          target: { at: '≤', value: CPU_PERCENT_MAX },
        },
      ];
    }),
  );
}
