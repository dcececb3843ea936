import { sql } from 'kysely';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { postgresForTests } from '../../../../test/support/databases.ts';
import { administer } from '../../../../test/support/templates.ts';
import { type Database, openDatabase } from '../index.ts';

it('a PostgreSQL that nothing listens for is unreachable, to reads, writes and transactions alike', async () => {
  const database = await openDatabase({ kind: 'postgres', url: 'postgres://nobody@127.0.0.1:1/none' });
  const unreachable = { name: 'StorageFailure', problem: 'unreachable', cause: { code: 'ECONNREFUSED' } };
  const row = { name: 'a', version: 1 };
  await expect(database.ping()).rejects.toMatchObject(unreachable);
  await expect(database.db.selectFrom('signals').selectAll().execute()).rejects.toMatchObject(unreachable);
  await expect(database.db.insertInto('signals').values(row).execute()).rejects.toMatchObject(unreachable);
  const work = database.transaction((tx) => tx.insertInto('signals').values(row).execute());
  await expect(work).rejects.toMatchObject(unreachable);
  await database.close();
});

const url = inject('postgresUrl');
describe.runIf(url)('a PostgreSQL that takes no more connections', () => {
  const test = postgresForTests(url ?? '');
  const name = new URL((test.options as { url: string }).url).pathname.slice(1);
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  async function takeAway(): Promise<void> {
    await administer(url ?? '', `alter database ${name} with allow_connections false`);
    await administer(url ?? '', `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  }
  const giveBack = () => administer(url ?? '', `alter database ${name} with allow_connections true`);

  it('is unreachable too, and is used again when it does', async () => {
    await database.ping();
    await takeAway();
    await expect(database.ping()).rejects.toMatchObject({ problem: 'unreachable' });
    await giveBack();
    await expect(database.ping()).resolves.toBeUndefined();
  });

  it('is unreachable also for reads that were under way, which find no other connection', async () => {
    const watcher = await openDatabase({ kind: 'postgres', url: url ?? '' });
    const reads = Array.from({ length: 5 }, () => sql`select pg_sleep(30)`.execute(database.db));
    const settled = Promise.allSettled(reads);
    const running = () =>
      sql`select 1 from pg_stat_activity where datname = ${name} and query like '%pg_sleep%'`.execute(watcher.db);
    await expect.poll(async () => (await running()).rows.length).toBe(5);
    await takeAway();
    for (const read of await settled) expect(read).toMatchObject({ reason: { problem: 'unreachable' } });
    await giveBack();
    await watcher.close();
  });
});
