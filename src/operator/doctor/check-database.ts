import { existsSync } from 'node:fs';
import { nameBlobs } from '../../compose/open-blobs.ts';
import { describeDatabase, explainDatabaseFailure } from '../../compose/start-failure.ts';
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { type Database, listAppliedMigrations, openDatabase } from '../../kit/db/index.ts';
import { createTasks } from '../../kit/tasks/index.ts';
import { findVectorExtension } from '../../retrieval/index.ts';
import { countQuarantined, listPausedByPlatform } from '../../workflows/index.ts';
import { checkMigrations, type MigrationState } from '../check-migrations.ts';
import { findMissingContent } from '../find-missing-content.ts';
import { readSqlite } from '../read-sqlite.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { describeQuarantine } from './check-quarantine.ts';
import { describePaused, SCHEDULES_READ_MAX } from './check-schedules.ts';

const NAME = 'database';

/** Only reads: the doctor neither creates nor upgrades a database. */
export async function checkDatabase(config: Config): Promise<Check[]> {
  return config.database.kind === 'sqlite'
    ? checkSqlite(config, config.database.file)
    : checkPostgres(config, config.database.url);
}

function checkSqlite(config: Config, file: string): Check[] {
  if (!existsSync(file)) return [ok(NAME, `none yet: the first start creates ${file}`)];
  try {
    return readSqlite(file, (connection) => {
      const damage = connection.findDamage('quick_check');
      const found = checkMigrations(connection.migrations());
      const restore = 'stop the server and restore a backup: tramontane restore --help';
      return [
        describeState(found, file),
        damage ? fail('integrity', damage.split('\n', 1).join(), restore) : ok('integrity', 'SQLite finds no damage'),
        ...(found.state === 'current'
          ? [
              describePaused(connection.pausedSchedules(SCHEDULES_READ_MAX)),
              describeQuarantine(connection.quarantined()),
            ]
          : []),
      ];
    });
  } catch (error) {
    return [unusable(error, config)];
  }
}

async function checkPostgres(config: Config, url: string): Promise<Check[]> {
  try {
    const database = await openDatabase(config.database);
    try {
      const found = checkMigrations(await listAppliedMigrations(database.db));
      const state = describeState(found, describeDatabase(url));
      if (found.state !== 'current') return [state];
      const paused = await listPausedByPlatform(database.db, SCHEDULES_READ_MAX);
      const tasks = await createTasks({ database, now: systemClock }).countQuarantined(database.db);
      const executions = await countQuarantined(database.db);
      return [
        ...[state, await checkContent(config, database), describePaused(paused)],
        describeQuarantine(executions > 0 ? [...tasks, { queue: 'executions', tasks: executions }] : tasks),
        await checkVectors(database),
      ];
    } finally {
      await database.close();
    }
  } catch (error) {
    return [unusable(error, config)];
  }
}

async function checkVectors({ db }: Database): Promise<Check> {
  const found = await findVectorExtension(db);
  if (found !== 'absent') return ok('vectors', 'PostgreSQL has pgvector for searches in large libraries');
  const what = 'PostgreSQL has no pgvector: a search reads the vectors of its whole library';
  return warn('vectors', what, 'install the extension pgvector for libraries with many documents');
}

async function checkContent(config: Config, database: Database): Promise<Check> {
  const missing = await findMissingContent(database, config);
  return missing
    ? fail('files', missing.what, missing.fix)
    : ok('files', `${nameBlobs(config, 'files')} has the newest file`);
}

function unusable(error: unknown, config: Config): Check {
  const explained = explainDatabaseFailure(error, config);
  // The explanation has two sentences: the problem and the fix.
  const [what = '', ...fix] = (explained instanceof Error ? explained.message : String(explained)).split(/(?<=\.) /);
  return fail(NAME, what, fix.join(' ') || 'set TRAMONTANE_LOG_LEVEL=debug and start the server to see more');
}

function describeState(found: MigrationState, where: string): Check {
  switch (found.state) {
    case 'absent':
      return ok(NAME, `${where} is empty: the first start sets it up`);
    case 'program-too-old':
      return fail(NAME, found.error.message, 'install the newer program, or restore a backup made before the upgrade');
    case 'behind':
      return warn(
        NAME,
        `${where} was made by an older program (pending: ${found.pending.join(', ')})`,
        'the next start upgrades it; make a backup first: tramontane backup --help',
      );
    case 'current':
      return ok(NAME, `${where} can be opened and is up to date`);
  }
}
