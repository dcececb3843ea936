import type { Db, Tx } from '../../kit/db/index.ts';
import type { DeliveryRow } from './tables.ts';

/** False for content or an id that came before. */
export async function insertDelivery(tx: Tx, row: DeliveryRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('webhook_deliveries')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export function findDelivery(db: Db, id: string): Promise<DeliveryRow | undefined> {
  return db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Newest first, without their contents. */
export function listDeliveries(db: Db, webhookId: string, limit: number) {
  return db
    .selectFrom('webhook_deliveries')
    .select(['id', 'event_type', 'outcome', 'detail', 'received_at'])
    .where('webhook_id', '=', webhookId)
    .orderBy('received_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Those that wait, up to a number that is enough to know. */
export async function countQueued(db: Db, organizationId: string, max: number): Promise<number> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('outcome', '=', 'queued')
    .limit(max)
    .execute();
  return rows.length;
}

/** Its contents go with the end. */
export async function endDelivery(tx: Tx, id: string, detail: string | null): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ outcome: 'handled', detail, payload: null })
    .where('id', '=', id)
    .execute();
}

const PRUNED_AT_ONCE = 1000;

/** Deletes some of what is older; returns how many rows. */
export async function deleteOldDeliveries(db: Db, beforeMs: number): Promise<number> {
  let deleted = 0;
  const old = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('received_ms', '<', beforeMs)
    .where('outcome', '<>', 'queued')
    .limit(PRUNED_AT_ONCE);
  deleted += Number(
    (await db.deleteFrom('webhook_deliveries').where('id', 'in', old).executeTakeFirst()).numDeletedRows,
  );
  const events = db
    .selectFrom('trigger_events')
    .select('event_id')
    .where('received_ms', '<', beforeMs)
    .limit(PRUNED_AT_ONCE);
  deleted += Number(
    (await db.deleteFrom('trigger_events').where('event_id', 'in', events).executeTakeFirst()).numDeletedRows,
  );
  return deleted;
}
