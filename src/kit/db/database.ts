import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { openPool, PostgresDriver } from './postgres/driver.ts';
import { startCheckpoints } from './sqlite/checkpoints.ts';
import { openSqlite, SqliteDriver } from './sqlite/driver.ts';
import type { Db, Tables, Tx } from './tables.ts';
import { runInTransaction } from './transaction-context.ts';
import { createLocalWakeups, createPostgresWakeups, type Wakeups } from './wakeups.ts';

const TRANSACTION_TRIES = 5;

export type Database = {
  kind: 'sqlite' | 'postgres';
  db: Db;
  /** Resolves when the work is committed and durable. On PostgreSQL a deadlock or a serialization failure runs it again. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Resolves when everything committed so far is on disk. */
  durable(): Promise<void>;
  wakeups: Wakeups;
  ping(): Promise<void>;
  /** Writes a consistent copy while the database is in use; SQLite only. */
  copyTo?(file: string, onProgress: (done: number, total: number) => void): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseOptions = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

export function openDatabase(options: DatabaseOptions): Database {
  return options.kind === 'sqlite' ? openSqliteDatabase(options.file) : openPostgresDatabase(options.url);
}

// Our driver has its own lock for writers; Kysely's would make readers wait for them too.
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function openSqliteDatabase(file: string): Database {
  const handles = openSqlite(file);
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new ConcurrentSqliteAdapter(),
      createDriver: () => new SqliteDriver(handles),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const checkpoints = startCheckpoints(file, handles.wal);
  const wakeups = createLocalWakeups();
  return {
    kind: 'sqlite',
    db,
    async transaction(work) {
      const { result, hooks } = await runInTransaction((body) => db.transaction().execute(body), work);
      await handles.wal.durable();
      for (const hook of hooks) hook();
      return result;
    },
    durable: () => handles.wal.durable(),
    wakeups,
    ping: () => ping(db),
    async copyTo(target, onProgress) {
      await handles.reader.backup(target, {
        progress({ totalPages, remainingPages }) {
          onProgress(totalPages - remainingPages, totalPages);
          return 1000;
        },
      });
    },
    async close() {
      await checkpoints.stop();
      await handles.wal.durable();
      await db.destroy();
      await wakeups.close();
    },
  };
}

function openPostgresDatabase(url: string): Database {
  const pool = openPool(url);
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresDriver(pool),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const wakeups = createPostgresWakeups(pool, url);
  return {
    kind: 'postgres',
    db,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          const { result, hooks } = await runInTransaction((body) => db.transaction().execute(body), work);
          for (const hook of hooks) hook();
          return result;
        } catch (error) {
          if (attempt === TRANSACTION_TRIES || !isTransient(error)) throw error;
        }
      }
    },
    // PostgreSQL has synced before it reports a commit.
    durable: async () => undefined,
    wakeups,
    ping: () => ping(db),
    async close() {
      await wakeups.close();
      await db.destroy();
    },
  };
}

async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}

const UNIQUE_VIOLATIONS = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const TRANSIENT_FAILURES = new Set(['40001', '40P01']);

/** Two callers wrote the same key; the second may read what the first wrote and decide. */
export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE_VIOLATIONS.has(codeOf(error));
}

function isTransient(error: unknown): boolean {
  return TRANSIENT_FAILURES.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
