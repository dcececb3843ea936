import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../kit/db/index.ts';
import type { Scored } from './text.ts';

/** pgvector builds no such index beyond this. */
export const NEAREST_DIMENSIONS_MAX = 4000;

/** Whether this PostgreSQL has, or may have, the extension pgvector. */
export async function findVectorExtension(db: Db): Promise<'installed' | 'available' | 'absent'> {
  const { rows } = await sql<{ installed: string | null }>`
    select installed_version as installed from pg_available_extensions where name = 'vector'
  `.execute(db);
  if (rows[0]?.installed) return 'installed';
  return rows.length > 0 ? 'available' : 'absent';
}

export async function createVectorExtension(db: Db): Promise<void> {
  await sql`create extension if not exists vector`.execute(db);
}

const tableOf = (setNo: number) => sql.table(`search_nearest_${setNo}`);

/** One table for each large set, so that each collection has an index of its own. Not in backups: it is rebuilt. */
export async function createNearest(tx: Tx, setNo: number, dimensions: number): Promise<void> {
  await sql`create table if not exists ${tableOf(setNo)} (id bigint primary key, vector halfvec(${sql.lit(dimensions)}) not null)`.execute(
    tx,
  );
}

/** After the vectors are there, because that is several times faster; writers of this set wait meanwhile. */
export async function createNearestIndex(tx: Tx, setNo: number): Promise<void> {
  const name = sql.ref(`search_nearest_${setNo}_by_vector`);
  await sql`set local maintenance_work_mem = '256MB'`.execute(tx);
  await sql`create index if not exists ${name} on ${tableOf(setNo)} using hnsw (vector halfvec_cosine_ops)`.execute(tx);
}

export async function hasNearest(db: Db, setNo: number): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(${`search_nearest_${setNo}`})::text as found
  `.execute(db);
  return rows[0]?.found != null;
}

const textOf = (vector: Float32Array): string => `[${vector.join(',')}]`;

export async function insertNearest(
  tx: Tx,
  setNo: number,
  vectors: { id: number; vector: Float32Array }[],
): Promise<void> {
  if (vectors.length === 0) return;
  const rows = vectors.map(({ id, vector }) => sql`(${id}, ${textOf(vector)}::halfvec)`);
  await sql`insert into ${tableOf(setNo)} (id, vector) values ${sql.join(rows)} on conflict do nothing`.execute(tx);
}

export async function deleteNearest(tx: Tx, setNo: number, firstId: number, count: number): Promise<void> {
  await sql`delete from ${tableOf(setNo)} where id >= ${firstId} and id < ${firstId + count}`.execute(tx);
}

export async function dropNearest(tx: Tx, kind: Database['kind'], setNo: number): Promise<void> {
  if (kind === 'postgres') await sql`drop table if exists ${tableOf(setNo)}`.execute(tx);
}

/** The most that pgvector looks at for one search. */
export const NEAREST_MAX = 1000;
const WIDTH_MIN = 120;

/** For the searches of one query: on PostgreSQL, whose planner would rather read whole tables than the indexes of words. */
export function readByIndexes<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`.execute(tx);
    return read(tx);
  });
}

export async function listNearest(db: Db, setNo: number, vector: Float32Array, limit: number): Promise<Scored[]> {
  const width = Math.min(NEAREST_MAX, Math.max(WIDTH_MIN, limit));
  await sql`select set_config('hnsw.ef_search', ${String(width)}, true)`.execute(db);
  const { rows } = await sql<Scored>`
    select id, 1 - (vector <=> ${textOf(vector)}::halfvec) as score from ${tableOf(setNo)}
    order by vector <=> ${textOf(vector)}::halfvec limit ${limit}
  `.execute(db);
  return rows.map(({ id, score }) => ({ id: Number(id), score: Number(score) }));
}
