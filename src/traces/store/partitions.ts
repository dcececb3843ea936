import { sql } from 'kysely';
import type { Db, Tx } from '../../kit/db/index.ts';

export type Partition = { name: string; fromUs: number; toUs: number };

const LOCK_MS = 2000;
const BOUND = /^FOR VALUES FROM \((MINVALUE|'-?\d+')\) TO \('(-?\d+)'\)$/;

/** Those with bounds: the days, and what was there before there were days. Only PostgreSQL has them. */
export async function listPartitions(db: Db): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
    where i.inhparent = 'spans'::regclass order by c.relname`.execute(db);
  return rows.flatMap(({ name, bound }) => {
    const [, from = '', to = ''] = BOUND.exec(bound) ?? [];
    if (to === '') return [];
    return [
      { name, fromUs: from === 'MINVALUE' ? Number.NEGATIVE_INFINITY : Number(from.slice(1, -1)), toUs: Number(to) },
    ];
  });
}

/** Nobody waits for long behind a lock that waits for a long read; the next sweep tries again. */
async function limitWaiting(tx: Tx): Promise<void> {
  await sql.raw(`set local lock_timeout = ${LOCK_MS}`).execute(tx);
}

/** Rows of these days that have come before their partition are moved into it. */
export async function createPartition(tx: Tx, { name, fromUs, toUs }: Partition): Promise<void> {
  await limitWaiting(tx);
  const [table, from, to] = [sql.id(name), sql.lit(fromUs), sql.lit(toUs)];
  await sql`lock table spans_default in access exclusive mode`.execute(tx);
  await sql`create table ${table} (like spans including all)`.execute(tx);
  await sql`with moved as (delete from spans_default where start_us >= ${from} and start_us < ${to} returning *)
    insert into ${table} select * from moved`.execute(tx);
  await sql`alter table spans attach partition ${table} for values from (${from}) to (${to})`.execute(tx);
}

export async function dropPartition(tx: Tx, { name }: Partition): Promise<void> {
  await limitWaiting(tx);
  await sql`drop table ${sql.id(name)}`.execute(tx);
}
