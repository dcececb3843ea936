import type { ExpressionBuilder } from 'kysely';
import { type Db, isBeyond, type Tables, type Tx } from '../../kit/db/index.ts';
import { type ConnectorRow, type Consumer, consumerIdOf, type PreferencesRow } from './tables.ts';

export type Position = { created_at: string; id: string };

/** One's own, those of the workspace, and those that were shared with the organization. */
function visibleTo({ organization_id, workspace_id, user_id }: Consumer) {
  return ({ eb, and, or }: ExpressionBuilder<Tables, 'connectors'>) =>
    and([
      eb('organization_id', '=', organization_id),
      or([
        eb('visibility', '=', 'shared_org'),
        and([eb('workspace_id', '=', workspace_id), eb('visibility', '=', 'shared_workspace')]),
        and([eb('workspace_id', '=', workspace_id), eb('visibility', '=', 'private'), eb('creator_id', '=', user_id)]),
      ]),
    ]);
}

export async function insertConnector(tx: Tx, row: ConnectorRow): Promise<void> {
  await tx
    .insertInto('connectors')
    .values({ ...row, ...asText(row) })
    .execute();
}

export function findConnector(db: Db, consumer: Consumer, id: string): Promise<ConnectorRow | undefined> {
  return db.selectFrom('connectors').selectAll().where('id', '=', id).where(visibleTo(consumer)).executeTakeFirst();
}

/** All that have the name: the caller chooses. */
export function findConnectorsByName(db: Db, consumer: Consumer, name: string): Promise<ConnectorRow[]> {
  return db
    .selectFrom('connectors')
    .selectAll()
    .where('name', '=', name)
    .where(visibleTo(consumer))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Oldest first, so that a page does not move when one is added. */
export function listConnectors(
  db: Db,
  consumer: Consumer,
  { limit, after, isActive }: { limit: number; after?: Position | undefined; isActive?: boolean | undefined },
): Promise<ConnectorRow[]> {
  let query = db.selectFrom('connectors').selectAll().where(visibleTo(consumer));
  if (after) query = query.where(isBeyond('asc', ['created_at', 'id'], [after.created_at, after.id]));
  if (isActive !== undefined)
    query = query.where(({ exists, not, selectFrom }) => {
      const blocked = exists(
        selectFrom('connector_preferences')
          .select('active')
          .whereRef('connector_preferences.connector_id', '=', 'connectors.id')
          .whereRef('connector_preferences.organization_id', '=', 'connectors.organization_id')
          .where('active', '=', false)
          .where(ofConsumer(consumer)),
      );
      return isActive ? not(blocked) : blocked;
    });
  return query.orderBy('created_at').orderBy('id').limit(limit).execute();
}

export async function countConnectors(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('connectors')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type ConnectorChanges = Partial<Omit<ConnectorRow, 'id' | 'organization_id' | 'workspace_id' | 'creator_id'>>;

export async function updateConnector(tx: Tx, organizationId: string, id: string, changes: ConnectorChanges) {
  const { numUpdatedRows } = await tx
    .updateTable('connectors')
    .set({ ...changes, ...asText(changes) })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function updateHealth(db: Db, organizationId: string, id: string, at: string, error: string | null) {
  await db
    .updateTable('connectors')
    .set({ checked_at: at, last_error: error })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** With all that belongs to it. */
export async function deleteConnector(tx: Tx, organizationId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('connectors')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  for (const table of BELONGINGS)
    await tx.deleteFrom(table).where('organization_id', '=', organizationId).where('connector_id', '=', id).execute();
  return numDeletedRows > 0n;
}

const BELONGINGS = [
  'connector_credentials',
  'connector_sign_ins',
  'connector_clients',
  'connector_preferences',
  'connector_tools',
  'connector_uses',
] as const;

function ofConsumer(consumer: Consumer) {
  return ({ eb, and, or }: ExpressionBuilder<Tables, 'connector_preferences'>) =>
    or(
      (['user', 'workspace', 'org'] as const).map((kind) =>
        and([eb('consumer_type', '=', kind), eb('consumer_id', '=', consumerIdOf(consumer, kind))]),
      ),
    );
}

/** Of the user, the workspace and the organization. */
export function listPreferences(
  db: Db,
  consumer: Consumer,
  connectorIds: readonly string[],
): Promise<PreferencesRow[]> {
  if (connectorIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('connector_preferences')
    .selectAll()
    .where('connector_id', 'in', connectorIds)
    .where('organization_id', '=', consumer.organization_id)
    .where(ofConsumer(consumer))
    .execute();
}

export async function savePreferences(
  tx: Tx,
  row: Pick<PreferencesRow, 'connector_id' | 'organization_id' | 'consumer_type' | 'consumer_id'>,
  changes: Partial<Pick<PreferencesRow, 'active' | 'tool_configuration'>>,
): Promise<void> {
  const text =
    changes.tool_configuration === undefined
      ? {}
      : { tool_configuration: changes.tool_configuration && JSON.stringify(changes.tool_configuration) };
  const set = { ...(changes.active === undefined ? {} : { active: changes.active }), ...text };
  await tx
    .insertInto('connector_preferences')
    .values({ ...row, active: true, tool_configuration: null, ...set })
    .onConflict((conflict) =>
      conflict.columns(['connector_id', 'organization_id', 'consumer_type', 'consumer_id']).doUpdateSet(set),
    )
    .execute();
}

function asText(row: ConnectorChanges) {
  return {
    ...(row.global_headers === undefined ? {} : { global_headers: JSON.stringify(row.global_headers) }),
    ...(row.auth_methods === undefined ? {} : { auth_methods: row.auth_methods && JSON.stringify(row.auth_methods) }),
    ...(row.openapi === undefined ? {} : { openapi: row.openapi && JSON.stringify(row.openapi) }),
  } as { global_headers: string; auth_methods: string | null; openapi: string | null };
}
