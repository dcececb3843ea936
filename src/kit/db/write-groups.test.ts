import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { type Database, groupWriter } from './index.ts';

type Row = { owner: string; isOpen: boolean; details: string | null; id: number; note: string };

const layout = {
  table: 'grouped_notes',
  shared: { text: ['owner'], boolean: ['is_open'], json: ['details'] },
  own: { bigint: ['id'], text: ['note'] },
  isSame: (a: Row, b: Row) => a.owner === b.owner && a.isOpen === b.isOpen && a.details === b.details,
  addShared: (values: unknown[], row: Row) => void values.push(row.owner, row.isOpen, row.details),
  addOwn: (values: unknown[], row: Row) => void values.push(row.id, row.note),
  ending: 'on conflict do nothing',
};

onEachDatabase('rows written in groups', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    const json = test.kind === 'sqlite' ? 'json text' : 'json';
    await sql`create table grouped_notes (owner text not null, is_open boolean not null, details ${sql.raw(json)},
      id bigint primary key, note text not null)`.execute(database.db);
  });
  afterAll(() => database.close());

  const read = async () =>
    (await sql<Record<string, unknown>>`select * from grouped_notes order by id`.execute(database.db)).rows;
  const write = async (rows: Row[]) => {
    await sql`delete from grouped_notes`.execute(database.db);
    const insert = groupWriter(test.kind, layout);
    await database.transaction((tx) => insert(tx, rows));
  };
  const row = (id: number, owner: string, more: Partial<Row> = {}): Row => {
    return { id, owner, isOpen: true, details: null, note: `note ${id}`, ...more };
  };
  const shown = ({ id, owner, isOpen, details, note }: Row) => {
    return { id, owner, is_open: isOpen, details: details && JSON.parse(details), note };
  };

  it('are all there with their own values, however they are mixed', async () => {
    const rows = Array.from({ length: 300 }, (_, id) =>
      row(id, `owner ${id % 7}`, { isOpen: id % 2 === 0, details: id % 11 === 0 ? '{"a":1}' : null }),
    );
    await write(rows);
    expect(await read()).toEqual(rows.map(shown));
  });

  it('are all there when none shares anything with another', async () => {
    const rows = Array.from({ length: 40 }, (_, id) => row(id, `owner ${id}`));
    await write(rows);
    expect(await read()).toEqual(rows.map(shown));
  });

  it('are stored once, in a group and alone', async () => {
    const rows = Array.from({ length: 9 }, (_, id) => row(id, 'one'));
    await write([...rows, ...rows, row(99, 'other')]);
    expect((await read()).map(({ id }) => id)).toEqual([...rows.map(({ id }) => id), 99]);
  });
});
