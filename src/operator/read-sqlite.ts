import SqliteConnection from 'better-sqlite3';
import type { AppliedMigration } from '../kit/db/index.ts';

/** The result of `quick_check` and `integrity_check` when nothing is wrong. */
const SOUND = 'ok';

export type SqliteReader = {
  migrations(): AppliedMigration[];
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
      findDamage(check) {
        const result = String(connection.pragma(check, { simple: true }));
        return result === SOUND ? undefined : result;
      },
    });
  } finally {
    connection.close();
  }
}
