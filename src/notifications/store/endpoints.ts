import type { Db, Tx } from '../../kit/db/index.ts';
import type { EndpointRow } from './tables.ts';

export function listEndpoints(db: Db, workspaceId: string): Promise<EndpointRow[]> {
  return db
    .selectFrom('notification_endpoints')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Of a workspace, or of any where the caller is a task that knows the id alone. */
export function findEndpoint(db: Db, id: string, workspaceId?: string): Promise<EndpointRow | undefined> {
  return db
    .selectFrom('notification_endpoints')
    .selectAll()
    .where('id', '=', id)
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? ''))
    .executeTakeFirst();
}

export type Listening = Pick<EndpointRow, 'organization_id' | 'event_types'>;

/** What is listened to, by organization. */
export function listListening(db: Db): Promise<Listening[]> {
  return db
    .selectFrom('notification_endpoints')
    .select(['organization_id', 'event_types'])
    .where('status', '=', 'enabled')
    .execute();
}

/** Those that may hear what happened in a workspace, or in the organization as a whole. */
export function listEndpointsFor(db: Db, organizationId: string, workspaceId: string | null): Promise<EndpointRow[]> {
  return db
    .selectFrom('notification_endpoints')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'enabled')
    .where((eb) => eb.or([eb('covers', '=', 'organization'), eb('workspace_id', '=', workspaceId ?? '')]))
    .execute();
}

export async function countEndpoints(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('notification_endpoints')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertEndpoint(tx: Tx, row: EndpointRow): Promise<void> {
  await tx
    .insertInto('notification_endpoints')
    .values({ ...row, event_types: row.event_types && JSON.stringify(row.event_types) })
    .execute();
}

export type EndpointChange = Partial<Omit<EndpointRow, 'id' | 'workspace_id' | 'organization_id' | 'created_at'>>;

export async function updateEndpoint(db: Db, id: string, { event_types, ...change }: EndpointChange): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notification_endpoints')
    .set({
      ...change,
      ...(event_types !== undefined && { event_types: event_types && JSON.stringify(event_types) }),
    })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False where another process was first. */
export async function disableEndpoint(
  tx: Tx,
  id: string,
  disabled_reason: string,
  updated_at: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('notification_endpoints')
    .set({ status: 'disabled', disabled_reason, updated_at })
    .where('id', '=', id)
    .where('status', '=', 'enabled')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteEndpoint(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('notification_endpoints')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export function listSealedEndpoints(db: Db) {
  return db.selectFrom('notification_endpoints').select(['id', 'sealed_secret', 'sealed_previous']).execute();
}

/** False when it was announced before. */
export async function insertMark(tx: Tx, mark: string, created_ms: number): Promise<boolean> {
  const inserted = await tx
    .insertInto('notification_marks')
    .values({ mark, created_ms })
    .onConflict((conflict) => conflict.doNothing())
    .returning('mark')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function deleteOldMarks(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom('notification_marks').where('created_ms', '<', beforeMs).execute();
}
