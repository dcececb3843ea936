import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { type Database, executeEach, executeTogether, insertPart, mayGoTogether, rowWriter } from './index.ts';

onEachDatabase('statements for many rows', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    const json = test.kind === 'sqlite' ? 'json text' : 'json';
    await sql`create table noted (id bigint primary key, note text, details ${sql.raw(json)})`.execute(database.db);
  });
  afterAll(() => database.close());

  const read = async () =>
    (await sql<{ id: number; note: string }>`select id, note from noted order by id`.execute(database.db)).rows;
  const fill = (count: number) =>
    database.transaction(async (tx) => {
      await sql`delete from noted`.execute(tx);
      const rows = Array.from({ length: count }, (_, id) => [id, `note ${id}`, '{}']);
      await rowWriter(test.kind, 'noted', ['id', 'note', 'details'])(tx, rows);
    });

  it('are written whatever their number', async () => {
    for (const count of [1, 3, 128, 129, 300]) {
      await fill(count);
      expect(await read()).toHaveLength(count);
    }
  });

  it.skipIf(test.kind !== 'sqlite')('run once for each list of values, and tell how many rows changed', async () => {
    await fill(3);
    const change = (each: unknown[][]) =>
      database.transaction((tx) => executeEach(tx, 'update noted set note = ? where id = ?', each));
    expect(
      await change([
        ['a', 0],
        ['b', 2],
        ['c', 9],
      ]),
    ).toBe(2);
    expect(await change([])).toBe(0);
    expect((await read()).map(({ note }) => note)).toEqual(['a', 'note 1', 'b']);
    await expect(executeEach(database.db, 'update noted set note = ? where id = ?', [['x', 0]])).rejects.toThrow(
      'needs a transaction',
    );
  });

  it.skipIf(test.kind !== 'postgres')('are sent as one, and all of them or none count', async () => {
    await fill(3);
    const parts = [
      insertPart(
        'noted',
        ['id', 'note', 'details'],
        [
          [7, 'seven?', '{"a": 1}'],
          [8, null, null],
        ],
      ),
      { text: 'delete from noted where id = ?', values: [1] },
      { text: 'update noted set note = ? where id = ?', values: ['two', 2] },
    ];
    await database.transaction((tx) => executeTogether(tx, parts));
    expect((await read()).map(({ id }) => id)).toEqual([0, 2, 7, 8]);
    const again = [{ text: 'delete from noted where id = ?', values: [0] }, insertPart('noted', ['id'], [[7]])];
    await expect(database.transaction((tx) => executeTogether(tx, again))).rejects.toThrow();
    expect((await read()).map(({ id }) => id)).toEqual([0, 2, 7, 8]);
    await database.transaction((tx) => executeTogether(tx, []));
  });

  it('are not sent as one when they have too many values', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, id) => [id, 'note']);
    expect(mayGoTogether([insertPart('noted', ['id', 'note'], rows(100))])).toBe(true);
    expect(mayGoTogether([insertPart('noted', ['id', 'note'], rows(6000))])).toBe(false);
  });
});
