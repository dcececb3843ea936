import type { Db, Tx } from '../../kit/db/index.ts';
import type { LimitScope } from '../schema.ts';
import type { LimitsRow } from './tables.ts';

export async function listLimits(db: Db): Promise<LimitsRow[]> {
  return db.selectFrom('limits').selectAll().execute();
}

export async function listLimitsIn(db: Db, kind: LimitScope['kind'], ids: readonly string[]): Promise<LimitsRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('limits').selectAll().where('scope_kind', '=', kind).where('scope_id', 'in', ids).execute();
}

export async function findLimits(db: Db, { kind, id }: LimitScope): Promise<LimitsRow | undefined> {
  return db
    .selectFrom('limits')
    .selectAll()
    .where('scope_kind', '=', kind)
    .where('scope_id', '=', id)
    .executeTakeFirst();
}

/** Inserts or replaces the row of the scope. */
export async function updateLimits(tx: Tx, row: LimitsRow): Promise<void> {
  const { scope_kind: _, scope_id: __, ...values } = row;
  await tx
    .insertInto('limits')
    .values(row)
    .onConflict((conflict) => conflict.columns(['scope_kind', 'scope_id']).doUpdateSet(values))
    .execute();
}

export async function deleteLimits(tx: Tx, { kind, id }: LimitScope): Promise<void> {
  await tx.deleteFrom('limits').where('scope_kind', '=', kind).where('scope_id', '=', id).execute();
}
