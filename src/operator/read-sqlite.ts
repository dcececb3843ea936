import SqliteConnection from 'better-sqlite3';
import type { AppliedMigration } from '../kit/db/index.ts';

/** The result of `quick_check` and `integrity_check` when nothing is wrong. */
const SOUND = 'ok';

export type SqliteReader = {
  migrations(): AppliedMigration[];
  /** Schedules that the platform paused by itself. */
  pausedSchedules(limit: number): { id: string; note: string | null }[];
  /** How many tasks of each queue are set aside. */
  quarantined(): { queue: string; tasks: number }[];
  /** The problems that SQLite finds, if any. */
  findDamage(check: 'quick_check' | 'integrity_check'): string | undefined;
};

/** Opens a database read-only. */
export function readSqlite<T>(file: string, read: (connection: SqliteReader) => T): T {
  const connection = new SqliteConnection(file, { readonly: true, fileMustExist: true });
  try {
    return read({
      migrations() {
        const known = connection.prepare("select 1 from sqlite_schema where type = 'table' and name = 'migrations'");
        if (known.get() === undefined) return [];
        const rows = connection.prepare('select name, oldest_program from migrations order by name');
        return rows.all() as AppliedMigration[];
      },
      pausedSchedules(limit) {
        const rows = connection.prepare(
          'select id, note from workflow_schedules where paused and paused_because is not null order by updated_at desc limit ?',
        );
        return rows.all(limit) as { id: string; note: string | null }[];
      },
      quarantined() {
        const rows = connection.prepare(
          `select queue, count(*) as tasks from tasks where state = 'quarantined' group by queue
            union all
            select 'executions', count(*) from workflow_runs where quarantined_at is not null having count(*) > 0`,
        );
        return rows.all() as { queue: string; tasks: number }[];
      },
      findDamage(check) {
        const result = String(connection.pragma(check, { simple: true }));
        return result === SOUND ? undefined : result;
      },
    });
  } finally {
    connection.close();
  }
}
