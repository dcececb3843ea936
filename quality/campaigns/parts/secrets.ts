import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { createCanaries } from '../secrets/canaries.ts';
import { drive } from '../secrets/drive.ts';
import { findLeaks, type Leaks } from '../secrets/find-leaks.ts';
import { openStage } from '../secrets/stage.ts';
import { withPostgres } from '../serve/with-postgres.ts';

const SHOWN_MAX = 12;

const PLACES: Record<keyof Leaks, string> = {
  logs: 'the log, at any level',
  metrics: 'the metrics',
  traces: 'traces',
  audit: 'the audit log',
  database: 'the database (keys, passwords, links, configuration)',
  spans: 'spans and their logs (prompts and answers), but for the contents of those that keep them',
  forgotten: 'any table, once those contents are deleted',
  backup: 'a backup (the same)',
  answers: 'answers (configuration)',
  others: 'what others are shown of errors',
};

export const secrets: Benchmark = {
  name: 'secrets',
  summary: 'canaries in every header, body and setting: in no log, metric, trace, audit entry, backup or table',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const figures = await campaign('SQLite', join(directory, 'sqlite'), undefined, options);
      if (options.quick) return figures;
      const onPostgres = await withPostgres((database) =>
        campaign('PostgreSQL', join(directory, 'postgres'), database, options),
      );
      if (!onPostgres) throw new Error('The secrets part needs PostgreSQL. Install it, or name one by its URL.');
      return [...figures, ...onPostgres];
    }),
};

async function campaign(
  on: string,
  directory: string,
  database: DatabaseOptions | undefined,
  { progress }: BenchmarkOptions,
): Promise<Figure[]> {
  const canaries = createCanaries();
  const stage = await openStage(directory, database, canaries);
  try {
    progress(`secrets: traffic on ${on}`);
    const answers = await drive(stage, canaries);
    // Background jobs fail in the background, and log it.
    await settled(stage);
    progress(`secrets: looking for ${canaries.all.length} canaries on ${on}`);
    const leaks = await findLeaks(stage, directory, canaries.all, answers);
    return [
      {
        name: `canaries placed, on ${on}`,
        value: canaries.all.length,
        unit: '',
        note: `${answers.length} requests, ${stage.logs.length} lines of log, ${stage.traces().length} characters of traces`,
      },
      ...(Object.keys(PLACES) as (keyof Leaks)[]).map((place) =>
        zero(`canaries in ${PLACES[place]}, on ${on}`, leaks[place]),
      ),
    ];
  } finally {
    await stage.close();
  }
}

async function settled({ server }: Awaited<ReturnType<typeof openStage>>): Promise<void> {
  const { db } = server.platform.database;
  const open = () => db.selectFrom('batch_jobs').select('id').where('status', 'in', ['QUEUED', 'RUNNING']).execute();
  while ((await open()).length > 0) await delay(20);
}

function zero(name: string, found: readonly string[]): Figure {
  return {
    name,
    value: found.length,
    unit: '',
    target: { at: '≤', value: 0 },
    note: found.slice(0, SHOWN_MAX).join('\n') || 'none',
  };
}
