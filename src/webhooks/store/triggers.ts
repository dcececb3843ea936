import type { Db, Tx } from '../../kit/db/index.ts';
import type { TriggersQuery } from '../schema/triggers.ts';
import type { TriggerEventRow, TriggerRow, Viewer } from './tables.ts';

function visible(db: Db, { workspace_id, user_id }: Viewer) {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where((eb) => eb.or([eb('owner_type', '=', 'workspace'), eb('creator_id', '=', user_id)]));
}

export function listTriggers(
  db: Db,
  viewer: Viewer,
  { handler, primitive_id, event_source_id }: TriggersQuery,
): Promise<TriggerRow[]> {
  let query = visible(db, viewer);
  if (handler) query = query.where('handler', '=', handler);
  if (primitive_id !== undefined) query = query.where('primitive_id', '=', primitive_id);
  if (event_source_id !== undefined) query = query.where('webhook_id', '=', event_source_id);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
}

export function findTrigger(db: Db, viewer: Viewer, id: string): Promise<TriggerRow | undefined> {
  return visible(db, viewer).where('id', '=', id).executeTakeFirst();
}

/** Those that existed when a delivery came. */
export function listTriggersOf(db: Db, webhookId: string, createdBeforeMs: number): Promise<TriggerRow[]> {
  return db
    .selectFrom('triggers')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('created_ms', '<=', createdBeforeMs)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function countTriggers(db: Db, by: 'workspace_id' | 'webhook_id', id: string): Promise<number> {
  const { count } = await db
    .selectFrom('triggers')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(by, '=', id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertTrigger(tx: Tx, row: TriggerRow): Promise<void> {
  await tx.insertInto('triggers').values(row).execute();
}

export async function deleteTrigger(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom('triggers').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** Newest first. */
export function listTriggerEvents(db: Db, triggerId: string, limit: number): Promise<TriggerEventRow[]> {
  return db
    .selectFrom('trigger_events')
    .selectAll()
    .where('trigger_id', '=', triggerId)
    .orderBy('received_ms', 'desc')
    .orderBy('event_id', 'desc')
    .limit(limit)
    .execute();
}

export function listEventsOfDelivery(db: Db, deliveryId: string): Promise<TriggerEventRow[]> {
  return db.selectFrom('trigger_events').selectAll().where('delivery_id', '=', deliveryId).execute();
}

/** Does nothing where the trigger has its event for this delivery, or was deleted meanwhile. */
export async function insertTriggerEvent(tx: Tx, row: TriggerEventRow): Promise<boolean> {
  const trigger = await tx.selectFrom('triggers').select('id').where('id', '=', row.trigger_id).executeTakeFirst();
  if (!trigger) return false;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('trigger_events')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

type EventChange = Partial<Pick<TriggerEventRow, 'status' | 'triggered_at' | 'detail' | 'path'>>;

export async function updateTriggerEvent(db: Db, eventId: string, change: EventChange): Promise<void> {
  await db.updateTable('trigger_events').set(change).where('event_id', '=', eventId).execute();
}
