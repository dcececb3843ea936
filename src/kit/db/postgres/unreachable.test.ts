import { describe, expect, inject, it } from 'vitest';
import { postgresForTests } from '../../../../test/support/databases.ts';
import { administer } from '../../../../test/support/templates.ts';
import { openDatabase } from '../index.ts';

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
  it('is unreachable too, and is used again when it does', async () => {
    const test = postgresForTests(url ?? '');
    const database = await test.open();
    await database.ping();
    const name = new URL((test.options as { url: string }).url).pathname.slice(1);
    await administer(url ?? '', `alter database ${name} with allow_connections false`);
    await administer(url ?? '', `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await expect(database.ping()).rejects.toMatchObject({ problem: 'unreachable' });
    await administer(url ?? '', `alter database ${name} with allow_connections true`);
    await expect(database.ping()).resolves.toBeUndefined();
  });
});
