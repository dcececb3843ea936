import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { compareVersions, type Database, type Migration, migrate, ProgramTooOld } from './index.ts';

const add = (name: string, oldestProgram: string, ...statements: string[]): Migration => ({
  name,
  oldestProgram,
  up: () => statements,
});

onEachDatabase('a database', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database.close());

  const run = (list: Migration[], program: string) => migrate(database, list, program, 'now');
  const names = async () =>
    (await database.db.selectFrom('migrations').select('name').execute()).map(({ name }) => name);

  it('that is current is left alone', async () => {
    expect(await run(migrations, '0.1.0')).toEqual([]);
  });

  it('is brought forward by what is new, once, also when two servers start together', async () => {
    const next = [...migrations, add('0100-more', '0.1.0', 'create table more (id text primary key)')];
    const other = await test.open();
    const ran = await Promise.all(
      test.kind === 'postgres' ? [run(next, '0.2.0'), migrate(other, next, '0.2.0', 'now')] : [run(next, '0.2.0')],
    );
    await other.close();
    expect(ran.flat()).toEqual(['0100-more']);
    expect(await names()).toContain('0100-more');
  });

  it('tells a migration what it holds, also of what another has made a moment before', async () => {
    const seen: boolean[] = [];
    const look: Migration = {
      name: '0102-look',
      oldestProgram: '0.1.0',
      up: async (_types, _kind, holds) => {
        seen.push(await holds('fresh', 'id'), await holds('fresh', 'other'), await holds('absent', 'id'));
        return [];
      },
    };
    await run([...migrations, add('0101-fresh', '0.1.0', 'create table fresh (id text)'), look], '0.2.0');
    expect(seen).toEqual([true, false, false]);
  });

  it('of a newer program may still be opened by an older one that it tolerates: rolling upgrades', async () => {
    expect(await run(migrations, '0.1.0')).toEqual([]);
  });

  it('keeps nothing of a migration that fails half-way', async () => {
    const broken = add('0200-broken', '0.1.0', 'create table half (id text)', 'create table half (id text)');
    await expect(run([...migrations, broken], '0.2.0')).rejects.toThrow(/half/);
    expect(await names()).not.toContain('0200-broken');
    await expect(sql`select * from half`.execute(database.db)).rejects.toThrow();
  });

  it('that has moved on refuses an older program, and says what to do', async () => {
    await run([...migrations, add('0300-contract', '0.3.0', 'create table later (id text)')], '0.3.0');
    const refused = run(migrations, '0.2.9');
    await expect(refused).rejects.toBeInstanceOf(ProgramTooOld);
    await expect(refused).rejects.toThrow('This database needs tramontane 0.3.0 or newer; this is 0.2.9.');
    expect(await run(migrations, '0.3.0')).toEqual([]);
  });
});

describe('versions', () => {
  it.each([
    ['0.1.0', '0.1.0', 0],
    ['0.2.0', '0.10.0', -1],
    ['1.0.0', '0.99.99', 1],
    ['1.0.0-beta.1', '1.0.0', 0],
  ])('%s and %s compare by their numbers', (a, b, expected) => {
    expect(Math.sign(compareVersions(a, b))).toBe(expected);
  });
});
