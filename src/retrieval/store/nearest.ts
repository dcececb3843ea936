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

/** What an index of pgvector is over: an index of signs is a third as large, and its nearest are compared exactly. */
export type NearestKind = 'signs' | 'vectors';

/** After the vectors are there, because that is several times faster; writers of this set wait meanwhile. */
export async function createNearestIndex(tx: Tx, setNo: number, dimensions: number): Promise<NearestKind> {
  await sql`set local maintenance_work_mem = '256MB'`.execute(tx);
  const kind = (await measureSigns(tx, setNo, dimensions)) >= SIGNS_RECALL_MIN ? 'signs' : 'vectors';
  const name = sql.ref(`search_nearest_${setNo}_by_${kind === 'signs' ? 'signs' : 'vector'}`);
  const by = kind === 'signs' ? sql`(${signsOf(dimensions)}) bit_hamming_ops` : sql`vector halfvec_cosine_ops`;
  await sql`create index if not exists ${name} on ${tableOf(setNo)} using hnsw (${by})`.execute(tx);
  return kind;
}

const SAMPLED = 12;
const SAMPLE_TOP = 10;
const SIGNS_RECALL_MIN = 0.95;
/** About as many of the nearest by their signs are compared exactly in a search. */
const SIGNS_COMPARED = 100;

const signsOf = (dimensions: number) => sql`binary_quantize(vector)::bit(${sql.lit(dimensions)})`;

/** How many of the nearest to some of the vectors their signs find. Few where all numbers are positive, for example. */
async function measureSigns(tx: Tx, setNo: number, dimensions: number): Promise<number> {
  const table = tableOf(setNo);
  const { rows } = await sql<{ share: number | null }>`
    select avg(found)::float8 / ${sql.lit(SAMPLE_TOP)} as share
    from (select binary_quantize(vector)::bit(${sql.lit(dimensions)}) as signs, vector as sample from ${table}
      order by id % 97, id limit ${sql.lit(SAMPLED)}) as samples
    cross join lateral (
      select count(*) as found from (select id from ${table} order by vector <=> sample limit ${sql.lit(SAMPLE_TOP)}) as exact
      where id in (select id from (
        select id from ${table} order by ${signsOf(dimensions)} <~> signs limit ${sql.lit(SIGNS_COMPARED)}) as near)
    ) as counted
  `.execute(tx);
  return rows[0]?.share ?? 0;
}

export async function hasNearest(db: Db, setNo: number): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(${`search_nearest_${setNo}`})::text as found
  `.execute(db);
  return rows[0]?.found != null;
}

/** As pgvector makes them: a bit for each number, 1 where it is positive. */
const bitsOf = (vector: Float32Array): string => Array.from(vector, (value) => (value > 0 ? '1' : '0')).join('');

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

/**
 * For the searches of one query: on PostgreSQL, whose planner would rather read whole tables than the indexes of words. The
 * settings come in one message with the begin, because every message costs about as much as a small query.
 */
export function readByIndexes<T>(db: Db, read: (db: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`begin; set local enable_seqscan = off; set local jit = off`.execute(connection);
    try {
      return await read(connection);
    } finally {
      // Nothing was written, and a connection that fails here is not used again.
      await sql`commit`.execute(connection).catch(() => undefined);
    }
  });
}

/** `count` of the nearest by the index, compared exactly. */
export async function listNearest(
  db: Db,
  { no, index, vector }: { no: number; index: NearestKind; vector: Float32Array },
  count: number,
): Promise<Scored[]> {
  const width = Math.min(NEAREST_MAX, Math.max(WIDTH_MIN, count));
  await sql`select set_config('hnsw.ef_search', ${String(width)}, true)`.execute(db);
  const order =
    index === 'signs'
      ? sql`${signsOf(vector.length)} <~> ${bitsOf(vector)}::bit(${sql.lit(vector.length)})`
      : sql`vector <=> ${textOf(vector)}::halfvec`;
  const { rows } = await sql<Scored>`
    select id, 1 - (vector <=> wanted) as score
    from (select ${textOf(vector)}::halfvec as wanted) as query,
      (select id, vector from ${tableOf(no)} order by ${order} limit ${count}) as near
    order by vector <=> wanted
  `.execute(db);
  return rows.map(({ id, score }) => ({ id: Number(id), score: Number(score) }));
}

/** Exactly, of the chunks within these runs of ids. */
export async function compareNearest(
  db: Db,
  setNo: number,
  vector: Float32Array,
  runs: [number, number][],
  limit: number,
): Promise<Scored[]> {
  const { rows } = await sql<Scored>`
    select id, 1 - (vector <=> wanted) as score
    from (select ${textOf(vector)}::halfvec as wanted) as query, json_array_elements(${JSON.stringify(runs)}::json) as run,
      ${tableOf(setNo)} where id >= (run->>0)::bigint and id < (run->>1)::bigint
    order by vector <=> wanted, id limit ${limit}
  `.execute(db);
  return rows.map(({ id, score }) => ({ id: Number(id), score: Number(score) }));
}
