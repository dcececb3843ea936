import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { hasPgvector, openPgvector } from '../../test/support/pgvector.ts';
import { administer, databaseUrl } from '../../test/support/templates.ts';
import { createLog } from '../kit/base/log.ts';
import { type Database, migrate, openDatabase } from '../kit/db/index.ts';
import { findVectorExtension, type RetrievalService, type SearchRequest } from './index.ts';
import { callerForTests, chunkForTests, retrievalForTests } from './retrieval-for-tests.ts';

const COLLECTION = { workspaceId: 'w1', collectionId: 'large' };
const CHUNKS = 120;
const nearestMin = 100;

const textOf = (number: number) => `item ${String.fromCharCode(97 + (number % 26), 97 + Math.floor(number / 26))}`;

/** Documents of ten chunks; each knows its number. */
async function fill(retrieval: RetrievalService): Promise<void> {
  for (let first = 0; first < CHUNKS; first += 10) {
    const chunks = Array.from({ length: 10 }, (_, i) => chunkForTests(i, textOf(first + i)));
    const document = { documentId: `d${first}`, title: '', language: null, attributes: { first }, chunks };
    await retrieval.put({ ...COLLECTION, organizationId: 'o1', ...document });
  }
  await retrieval.idle();
}

const search = (retrieval: RetrievalService, query: string, more: Partial<SearchRequest> = {}) =>
  retrieval.search({
    collections: [COLLECTION],
    query,
    limit: 10,
    mode: 'vector',
    caller: callerForTests('w1'),
    ...more,
  });

describe.runIf(hasPgvector)('vectors on PostgreSQL with pgvector', () => {
  let server: Awaited<ReturnType<typeof openPgvector>>;
  let database: Database;
  let retrieval: RetrievalService;
  const name = `test_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    server = await openPgvector();
    const url = server?.url ?? '';
    await administer(url, `create database ${name}`);
    database = await openDatabase({ kind: 'postgres', url: databaseUrl(url, name) });
    await migrate(database, migrations, '99.0.0', new Date().toISOString());
    retrieval = retrievalForTests(database, { nearestMin }).service;
    await retrieval.start();
    await fill(retrieval);
  });
  afterAll(async () => {
    await retrieval?.stop();
    await database?.close();
    await administer(server?.url ?? '', `drop database if exists ${name} with (force)`);
    await server?.stop();
  });

  const tables = async () => {
    const { rows } = await sql<{ name: string; indexes: string[] }>`
      select c.relname as name, array(select i.indexdef from pg_indexes i where i.tablename = c.relname order by 1) as indexes
      from pg_class c where c.relkind = 'r' and c.relname like 'search_nearest_%'
    `.execute(database.db);
    return rows;
  };
  const count = async (table: string) =>
    Number((await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(database.db)).rows[0]?.n);

  it('a large library has an HNSW index of its own, and searches go through it', async () => {
    expect(retrieval.usesNearest()).toBe(true);
    const [table] = await tables();
    expect(table?.indexes.some((definition) => definition.includes('USING hnsw'))).toBe(true);
    expect(await count(table?.name ?? '')).toBe(CHUNKS);
    const scans = async () =>
      Number(
        (
          await sql<{ n: number }>`
            select idx_scan as n from pg_stat_user_indexes where indexrelname = ${`${table?.name}_by_signs`}
          `.execute(database.db)
        ).rows[0]?.n,
      );
    const [best] = await search(retrieval, textOf(42));
    expect(best).toMatchObject({ documentId: 'd40', position: 2, scores: { vector: expect.closeTo(1, 2) } });
    // The statistics of PostgreSQL arrive a little later.
    await expect.poll(scans, { timeout: 20_000 }).toBeGreaterThan(0);
  });

  it('vectors without signs, whose numbers are all positive, have an index of the vectors themselves', async () => {
    const { id } = await retrieval.indexes.create(callerForTests('w1').scope, {
      name: 'positive',
      config: { embedding: { type: 'custom', name: 'elsewhere', dimensions: 8 } },
    });
    const collection = { workspaceId: 'w1', collectionId: id };
    const vectorOf = (n: number) => Array.from({ length: 8 }, (_, i) => 2 + Math.sin(n * (i + 1)));
    const chunks = Array.from({ length: 300 }, (_, n) => chunkForTests(n, `item ${n}`, { vector: vectorOf(n) }));
    const document = { documentId: 'd', title: '', language: null, attributes: {}, chunks };
    await retrieval.put({ ...collection, organizationId: 'o1', ...document });
    await retrieval.idle();
    const sets = await database.db.selectFrom('search_sets').select('nearest').orderBy('no').execute();
    expect(sets.map(({ nearest }) => nearest)).toEqual(['signs', 'ready']);
    const hits = await search(retrieval, 'item', { collections: [collection], vector: vectorOf(123) });
    expect(hits[0]).toMatchObject({ position: 123, scores: { vector: expect.closeTo(1, 2) } });
    await retrieval.removeCollection(collection);
    await retrieval.idle();
  });

  it('a filter finds all that it lets through, however few they are', async () => {
    for (const first of [0, 50, 110]) {
      const filter = { type: 'equal', field: 'first', value: first } as const;
      const hits = await search(retrieval, textOf(42), { filter });
      expect(hits.map(({ documentId }) => documentId)).toEqual(Array(10).fill(`d${first}`));
    }
    const half = { type: 'range', field: 'first', gte: 60 } as const;
    expect((await search(retrieval, textOf(75), { filter: half }))[0]).toMatchObject({
      documentId: 'd70',
      position: 5,
    });
  });

  it('documents that come later are in the index, and those that are removed are not', async () => {
    const late = { ...COLLECTION, documentId: 'late' };
    const chunks = [chunkForTests(0, 'an automobile')];
    await retrieval.put({ ...late, organizationId: 'o1', title: '', language: null, attributes: {}, chunks });
    await retrieval.idle();
    expect((await search(retrieval, 'car'))[0]).toMatchObject({ documentId: 'late' });
    const [table] = await tables();
    expect(await count(table?.name ?? '')).toBe(CHUNKS + 1);
    await retrieval.removeDocument(late);
    await retrieval.idle();
    expect(await count(table?.name ?? '')).toBe(CHUNKS);
  });

  it('a restored database, which lacks the tables of pgvector, has them again after the start', async () => {
    const [table] = await tables();
    await retrieval.stop();
    await sql`drop table ${sql.table(table?.name ?? '')}`.execute(database.db);
    retrieval = retrievalForTests(database, { nearestMin }).service;
    await retrieval.start();
    await retrieval.idle();
    expect(await count(table?.name ?? '')).toBe(CHUNKS);
    expect((await search(retrieval, textOf(42)))[0]).toMatchObject({ documentId: 'd40', position: 2 });
  });

  it('a library that is deleted takes its index with it', async () => {
    await retrieval.removeCollection(COLLECTION);
    await retrieval.idle();
    expect(await tables()).toEqual([]);
  });
});

onEachDatabase('vectors without pgvector', (testDatabase) => {
  it('are found by a scan of all, and PostgreSQL warns at the start', async (context) => {
    const database = await testDatabase.open();
    if (database.kind === 'postgres') context.skip((await findVectorExtension(database.db)) !== 'absent');
    const log = createLog('silent');
    const warnings: unknown[] = [];
    log.warn = (...parameters: unknown[]) => void warnings.push(parameters.at(-1));
    const { service } = retrievalForTests(database, { nearestMin, log });
    await service.start();
    try {
      await fill(service);
      expect(service.usesNearest()).toBe(false);
      expect((await search(service, textOf(42)))[0]).toMatchObject({ documentId: 'd40', position: 2 });
      const expected = database.kind === 'postgres' ? [expect.stringContaining('has no pgvector')] : [];
      expect(warnings).toEqual(expected);
    } finally {
      await service.stop();
    }
  });
});
