import { type Db, isBeyond, type Tx } from '../../kit/db/index.ts';
import type { DeliveryStatus } from '../schema/endpoints.ts';
import type { DeliveryRow } from './tables.ts';

const PRUNED_AT_ONCE = 1000;

/** False where the endpoint has the message already. */
export async function insertDelivery(tx: Tx, row: DeliveryRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('notification_deliveries')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export function findDelivery(db: Db, id: string): Promise<DeliveryRow | undefined> {
  return db.selectFrom('notification_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

export type DeliveryPage = {
  status: DeliveryStatus | undefined;
  after: { created_ms: number; id: string } | undefined;
  limit: number;
};

/** Newest first. */
export function listDeliveries(
  db: Db,
  endpointId: string,
  { status, after, limit }: DeliveryPage,
): Promise<DeliveryRow[]> {
  let query = db.selectFrom('notification_deliveries').selectAll().where('endpoint_id', '=', endpointId);
  if (status) query = query.where('status', '=', status);
  if (after) query = query.where(isBeyond('desc', ['created_ms', 'id'], [after.created_ms, after.id]));
  return query.orderBy('created_ms', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Those that wait, up to a number that is enough to know. */
export async function countPending(db: Db, endpointId: string, max: number): Promise<number> {
  const rows = await db
    .selectFrom('notification_deliveries')
    .select('id')
    .where('endpoint_id', '=', endpointId)
    .where('status', '=', 'pending')
    .limit(max)
    .execute();
  return rows.length;
}

type Change = Partial<
  Pick<DeliveryRow, 'status' | 'attempts' | 'response_status' | 'error' | 'next_attempt_at' | 'ended_at'>
>;

/** Only from the given state, so that one of several processes wins. */
export async function moveDelivery(
  tx: Tx,
  id: string,
  from: readonly DeliveryStatus[],
  change: Change,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('notification_deliveries')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteOldDeliveries(db: Db, beforeMs: number): Promise<number> {
  const old = db
    .selectFrom('notification_deliveries')
    .select('id')
    .where('created_ms', '<', beforeMs)
    .where('status', '<>', 'pending')
    .limit(PRUNED_AT_ONCE);
  const { numDeletedRows } = await db.deleteFrom('notification_deliveries').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}
