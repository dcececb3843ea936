import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { codeOf } from '../../base/error-code.ts';
import type { Database } from '../database.ts';
import { createLooks } from '../looks.ts';
import type { Tables, Tx } from '../tables.ts';
import { runHooks, runInTransaction } from '../transaction-context.ts';
import { openPool, PostgresDriver } from './driver.ts';
import { isConnectionLost } from './lost-connection.ts';
import { createPostgresWakeups } from './wakeups.ts';

const TRANSACTION_TRIES = 5;
/** First wait for a PostgreSQL that restarts; each wait doubles. */
const LOST_PAUSE_MS = 50;
/** The longest first wait of transactions that waited for each other. */
const MET_PAUSE_MS = 20;
const TRANSIENT_FAILURES = new Set(['40001', '40P01']);

export function openPostgresDatabase(url: string): Database {
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
  const looks = createLooks({ kind: 'postgres', db, version: () => undefined, send: wakeups.send });

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { result, hooks } = await runInTransaction((body) => db.transaction().execute(body), work);
        await runHooks(hooks);
        return result;
      } catch (error) {
        const isLost = isConnectionLost(error);
        if (attempt === TRANSACTION_TRIES || !(isLost || isTransient(error))) throw error;
        // Those that met would meet again.
        await pause(isLost ? LOST_PAUSE_MS * 2 ** attempt : Math.random() * MET_PAUSE_MS * attempt);
      }
    }
  }

  return {
    kind: 'postgres',
    db,
    transaction,
    commit: async (work) => ({ result: await transaction(work), durable: Promise.resolve() }),
    // PostgreSQL has synced before it reports a commit.
    durable: async () => undefined,
    overwriteDeleted: async () => undefined,
    readApart: async (query) => (await db.executeQuery(query)).rows,
    wakeups,
    looks,
    ping: async () => void (await sql`select 1`.execute(db)),
    async close() {
      await looks.close();
      await wakeups.close();
      // Kysely closes the driver only if it has ever asked it for something.
      await db.destroy();
      if (!pool.ending) await pool.end();
    },
  };
}

// A deadlock or a serialization failure: nothing was done, and a retry may succeed.
function isTransient(error: unknown): boolean {
  return TRANSIENT_FAILURES.has(codeOf(error));
}
