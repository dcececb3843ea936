import { type Dialect, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql, Transaction } from 'kysely';
import type { Database } from '../database.ts';
import { createLooks } from '../looks.ts';
import { runDirectly } from '../run-query.ts';
import type { Tables, Tx } from '../tables.ts';
import { runHooks, runInTransaction } from '../transaction-context.ts';
import { createLocalWakeups } from '../wakeups.ts';
import { startCheckpoints } from './checkpoints.ts';
import { openSqlite, SqliteDriver } from './driver.ts';
import { createApartReader } from './read-apart.ts';

// Our driver has its own lock for writers; Kysely's would make readers wait for them too.
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export function openSqliteDatabase(file: string, { logBytesMax }: { logBytesMax?: number } = {}): Database {
  const driver = new SqliteDriver(openSqlite(file));
  const { wal } = driver;
  const dialect: Dialect = {
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  const db = new Kysely<Tables>({ dialect });
  runDirectly(db, (query) => driver.runOutside(query));
  const executor = db.getExecutor();

  /** Kysely's own way here would be a dozen promises longer. */
  async function begin<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const session = driver.openSession();
    await driver.begin(session);
    try {
      const ofSession = executor.withConnectionProvider({ provideConnection: (consumer) => consumer(session) });
      const tx = new Transaction<Tables>({ config: { dialect }, dialect, driver, executor: ofSession });
      runDirectly(tx, (query) => session.executeQuery(query));
      const result = await body(tx);
      driver.commit(session);
      return result;
    } catch (error) {
      driver.rollback(session);
      throw error;
    }
  }
  const checkpoints = startCheckpoints({
    ...{ file, wal, logBytesMax },
    holdWrites: (work) => driver.holdWrites(work),
    dropPages: () => driver.dropPages(),
  });
  const wakeups = createLocalWakeups();
  const apart = createApartReader(file);
  const looks = createLooks({ kind: 'sqlite', db, version: () => driver.version() });
  return {
    kind: 'sqlite',
    file,
    db,
    async transaction(work) {
      const { result, hooks } = await runInTransaction(begin, work);
      await wal.durable();
      await runHooks(hooks);
      return result;
    },
    async commit(work, waitMs) {
      const { result, hooks } = await runInTransaction(begin, work);
      const durable = wal.soon(waitMs).then(() => runHooks(hooks));
      // A failing disk also refuses the next write, so the error is reported there.
      durable.catch(() => undefined);
      return { result, durable };
    },
    durable: () => wal.durable(),
    readApart: (query) => apart.read(query),
    overwriteDeleted: () => checkpoints.overwriteDeleted(),
    wakeups,
    looks,
    async ping() {
      await sql`select 1`.execute(db);
      await wal.durable();
      if (driver.lastWriteFailed) await tryToWrite(db);
    },
    async close() {
      await looks.close();
      await apart.close();
      await checkpoints.stop();
      await wal.durable();
      // Kysely closes the driver only if it has ever asked it for something.
      await db.destroy();
      driver.close();
      checkpoints.close();
      await wakeups.close();
    },
  };
}

/** Whether the disk takes a write again; what is written means nothing. */
async function tryToWrite(db: Kysely<Tables>): Promise<void> {
  await db
    .insertInto('signals')
    .values({ name: 'disk-check', version: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ version: sql<number>`signals.version + 1` }))
    .execute();
}
