import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countFound, type Database, findCandidates, rowsOf, type Searched } from './index.ts';
import '../../tenants/index.ts';

const groupsOf = (id: string): Searched => ({
  list: 'user_groups',
  scope: { column: 'organization_id', id },
  texts: ['lower(name)'],
});

onEachDatabase('a search for a part of a name', (test) => {
  let database: Database;
  const run = (text: string) => database.transaction((tx) => sql.raw(text).execute(tx));
  const insert = (names: string[], organization = 'first-org') =>
    run(
      `insert into user_groups (id, organization_id, name, created_at) values ${names
        .map((name) => `('${organization} ${name}', '${organization}', '${name}', '2026-01-01T00:00:00.000000Z')`)
        .join(', ')}`,
    );
  const find = async (text: string, organization = 'first-org') =>
    (await findCandidates(database, groupsOf(organization), text))
      ?.map((id) => id.slice(organization.length + 1))
      .sort();

  beforeAll(async () => {
    database = await test.open();
    await run(
      `insert into organizations (id, name, plan, created_at) values ('first-org', 'a', '', ''), ('other-one', 'b', '', '')`,
    );
    await insert(['Berlin office', 'Paris "north"', 'Örebro', 'naïve 🌊🌊🌊 wave']);
    await insert(['Berlin lab'], 'other-one');
  });
  afterAll(() => database.close());

  it('finds what contains it, and nothing of another scope', async () => {
    expect(await find('erlin')).toEqual(['Berlin office']);
    expect(await find('berlin', 'other-one')).toEqual(['Berlin lab']);
    expect(await find('s "no')).toEqual(['Paris "north"']);
    expect(await find('rebro')).toEqual(['Örebro']);
    expect(await find('🌊🌊🌊 w')).toEqual(['naïve 🌊🌊🌊 wave']);
    expect(await find('madrid')).toEqual([]);
  });

  it('finds nothing by letters and a NUL', async () => {
    expect(await find('berl\0in')).toEqual([]);
  });

  it('cannot be answered by letters for two of them, or none', async () => {
    expect(await find('be')).toBeUndefined();
    expect(await findCandidates(database, groupsOf('first-org'), undefined)).toBeUndefined();
  });

  it('follows a changed name, and forgets a deleted row', async () => {
    await run(`update user_groups set name = 'Munich office' where name = 'Berlin office'`);
    expect(await find('berlin')).toEqual([]);
    expect(await find('munich')).toEqual(['Berlin office']);
    await run(`delete from user_groups where name = 'Munich office'`);
    expect(await find('munich')).toEqual([]);
  });

  it('leaves what very many rows contain to the order of the list, and counts it a little beyond the page', async () => {
    await insert(Array.from({ length: 1001 }, (_, n) => `many ${n}`));
    expect(await find('many ')).toBeUndefined();
    expect(await find('many 77')).toHaveLength(11);
    const found = rowsOf(database.db, 'user_groups', undefined).select('id');
    const of = { list: 'user_groups', scope: 'first-org' };
    expect(await countFound(database.db, found, undefined, { of, pageEnd: 10 })).toBe(1005);
    await run(`update listed_counts set amount = 1000000 where list = 'user_groups' and span = 'all'`);
    expect(await countFound(database.db, found, undefined, { of, pageEnd: 10 })).toBe(110);
    const ids = ['first-org many 1', 'first-org many 2', 'gone'];
    const few = rowsOf(database.db, 'user_groups', ids).select('id');
    expect(await countFound(database.db, few, ids, { of, pageEnd: 10 })).toBe(2);
    expect(await rowsOf(database.db, 'user_groups', []).select('id').execute()).toEqual([]);
  });
});
