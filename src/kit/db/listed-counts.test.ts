import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recounts } from '../../../migrations/0076-listed-counts.ts';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import { countListed, countListedEach, type Database, endOf, findPlace } from './index.ts';

type Row = Record<string, string | number | boolean>;

onEachDatabase('the counts of a list', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    await insert('organizations', [{ id: 'o' }]);
    await insert(
      'workspaces',
      [1, 2, 3].map((n) => ({ id: `w${n}`, organization_id: 'o', name: `w${n}`, created_at: at(n) })),
    );
    await insert(
      'users',
      [1, 2, 3].map((n) => ({ id: `u${n}`, email: `u${n}` })),
    );
  });
  afterAll(() => database.close());

  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();
  const run = (text: string) => database.transaction((tx) => sql.raw(text).execute(tx));

  /** Fills columns that must have a value with an empty one. */
  async function insert(table: string, rows: Row[]): Promise<void> {
    const found = (await database.db.introspection.getTables()).find(({ name }) => name === table);
    const given = new Set(Object.keys(rows[0] ?? {}));
    const columns = (found?.columns ?? []).filter(
      ({ name, isNullable, hasDefaultValue }) => given.has(name) || !(isNullable || hasDefaultValue),
    );
    const empty = (type: string) =>
      /json/i.test(type) ? '{}' : /bool/i.test(type) ? false : /int|num|real|double/i.test(type) ? 0 : '';
    const literal = (value: Row[string]) => (typeof value === 'string' ? `'${value}'` : String(value));
    const lines = rows.map(
      (row) => `(${columns.map(({ name, dataType }) => literal(row[name] ?? empty(dataType))).join(', ')})`,
    );
    await run(`insert into ${table} (${columns.map(({ name }) => `"${name}"`).join(', ')}) values ${lines.join(', ')}`);
  }

  type Count = { list: string; scope: string; amount: number };
  const sorted = (rows: Count[]) =>
    rows
      .map((row) =>
        JSON.stringify({ ...row, amount: Number(row.amount), bytes: Number((row as Count & { bytes: number }).bytes) }),
      )
      .sort();

  async function expectExact(): Promise<void> {
    const kept = await database.db.selectFrom('listed_counts').selectAll().where('amount', '<>', 0).execute();
    const counted: Count[] = [];
    for (const statement of recounts(test.kind))
      counted.push(...(await sql.raw<Count>(statement).execute(database.db)).rows);
    expect(sorted(kept)).toEqual(sorted(counted));
  }

  const file = (n: number): Row => ({
    id: `f${n}`,
    workspace_id: 'w1',
    user_id: `u${(n % 3) + 1}`,
    visibility: n % 4 === 0 ? 'user' : 'workspace',
    purpose: n % 2 === 0 ? 'ocr' : 'batch',
    source: 'upload',
    created_at: at(n / 3),
  });

  it('are what a count of the rows gives, after every change of them', async () => {
    await insert(
      'files',
      Array.from({ length: 40 }, (_, n) => file(n)),
    );
    await insert(
      'batch_jobs',
      [1, 2, 3].map((n) => ({ id: `b${n}`, workspace_id: 'w1', user_id: 'u1', status: 'QUEUED', created_at: at(n) })),
    );
    await insert(
      'user_groups',
      [1, 2].map((n) => ({ id: `g${n}`, organization_id: 'o', name: `g${n}`, created_at: at(n) })),
    );
    await expectExact();
    await run(`update batch_jobs set status = 'RUNNING' where id <> 'b1'`);
    await run(`update workspaces set archived_at = '${at(9)}' where id = 'w3'`);
    await run(`delete from files where purpose = 'ocr'`);
    await run(`delete from batch_jobs where id = 'b2'`);
    await expectExact();
    await run('delete from files');
    await expectExact();
    const left = await database.db.selectFrom('listed_counts').select('span').where('list', '=', 'files').execute();
    expect(left).toEqual([]);
  });

  it('count a member with two roles once', async () => {
    const member = (user: number, role: string): Row => ({
      organization_id: 'o',
      user_id: `u${user}`,
      role,
      created_at: at(user),
    });
    await insert('organization_members', [member(1, 'a'), member(1, 'b'), member(2, 'a')]);
    expect((await countListed(database.db, { list: 'organization_members', scope: 'o' })).amount).toBe(2);
    await run(`delete from organization_members where role = 'b'`);
    await expectExact();
    await run(`delete from organization_members where user_id = 'u1'`);
    expect((await countListed(database.db, { list: 'organization_members', scope: 'o' })).amount).toBe(1);
    await expectExact();
  });

  it('add up the bytes of what they count', async () => {
    await insert('libraries', [{ id: 'l', organization_id: 'o', workspace_id: 'w1' }]);
    await insert(
      'library_documents',
      [1, 2].map((n) => ({ id: `d${n}`, library_id: 'l', workspace_id: 'w1', bytes: n * 10, created_at: at(n) })),
    );
    await run(`update library_documents set bytes = 100 where id = 'd1'`);
    expect(await countListed(database.db, { list: 'library_documents', scope: 'l' })).toEqual({
      amount: 2,
      bytes: 120,
    });
    const [each] = await countListedEach(database.db, 'library_documents', ['l', 'none']);
    expect({ ...each, amount: Number(each?.amount), bytes: Number(each?.bytes) }).toEqual({
      scope: 'l',
      amount: 2,
      bytes: 120,
    });
    await expectExact();
  });

  it('find the place of any page, in both orders and for a part of the list', async () => {
    const all = Array.from({ length: 6000 }, (_, n) => (n % 3 === 0 ? { ...file(n), purpose: 'a "\\' } : file(n)));
    await insert('files', all);
    await expectExact();
    for (const { owners, purpose, offset, order } of [
      { owners: ['', 'u1'], purpose: undefined, offset: 1500, order: 'desc' },
      { owners: ['', 'u1'], purpose: undefined, offset: 3999, order: 'asc' },
      { owners: ['', 'u1'], purpose: 'ocr', offset: 1234, order: 'desc' },
      { owners: ['', 'u1'], purpose: undefined, offset: 9000, order: 'desc' },
      { owners: ['', 'u1'], purpose: undefined, offset: 40, order: 'asc' },
      { owners: [''], purpose: undefined, offset: 1500, order: 'desc' },
      { owners: [''], purpose: undefined, offset: 2718, order: 'asc' },
      { owners: [''], purpose: 'a "\\', offset: 1003, order: 'desc' },
      { owners: [''], purpose: undefined, offset: 9000, order: 'asc' },
    ] as const) {
      const seen = all.filter(({ visibility, user_id }) =>
        owners.some((owner) => owner === (visibility === 'workspace' ? '' : user_id)),
      );
      const of = {
        list: 'files',
        scope: 'w1',
        owners,
        ...(purpose ? { accepts: ([one]: readonly string[]) => one === purpose } : {}),
      };
      const place = await findPlace(database.db, of, offset, order);
      const listed = seen
        .filter((row) => !purpose || row.purpose === purpose)
        .map(({ created_at, id }) => `${created_at} ${id}`)
        .sort();
      if (order === 'desc') listed.reverse();
      const rest = listed.filter((key) => {
        if (!place?.block) return true;
        return order === 'desc' ? key < endOf(place.block) : key >= place.block;
      });
      expect(place ? rest[place.offset] : undefined).toBe(listed[offset]);
      if (place?.block) expect(place.offset).toBeLessThan(3);
    }
  });

  it('tell a place in one statement on PostgreSQL, where each is a round trip', async () => {
    const statements = countStatements();
    await findPlace(database.db, { list: 'files', scope: 'nowhere' }, 2000, 'desc');
    expect(statements.stop().count).toBe(1);
  });
});
