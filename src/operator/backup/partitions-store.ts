import { sql } from 'kysely';
import type { Tx } from '../../kit/db/index.ts';

export type Partition = { parent: string; name: string; bound: string };

/**
 * Makes the partitions of the platform's tables plain ones. pg_restore cannot replace them otherwise: it drops their
 * constraints first, which belong to the parent.
 */
export async function detachPartitions(tx: Tx): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select parent.relname as parent, child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bound
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    join pg_class parent on parent.oid = inhparent
    where parent.relkind = 'p' and parent.relnamespace = current_schema()::regnamespace`.execute(tx);
  for (const { parent, name } of rows)
    await sql`alter table ${sql.table(parent)} detach partition ${sql.table(name)}`.execute(tx);
  return rows;
}

export async function attachPartitions(tx: Tx, partitions: Partition[]): Promise<void> {
  for (const { parent, name, bound } of partitions)
    await sql`alter table ${sql.table(parent)} attach partition ${sql.table(name)} ${sql.raw(bound)}`.execute(tx);
}

/** Removes those that the backup did not bring: no table has them any more. */
export async function dropDetached(tx: Tx, partitions: Partition[]): Promise<void> {
  for (const { name } of partitions) {
    const { rows } = await sql<{ found: boolean }>`
      select relispartition as found from pg_class
      where relname = ${name} and relnamespace = current_schema()::regnamespace`.execute(tx);
    if (rows[0]?.found === false) await sql`drop table ${sql.table(name)}`.execute(tx);
  }
}
