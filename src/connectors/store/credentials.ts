import type { ExpressionBuilder } from 'kysely';
import type { Db, Tables, Tx } from '../../kit/db/index.ts';
import { type Consumer, type ConsumerKind, type CredentialsRow, consumerIdOf } from './tables.ts';

/** Whose credentials of which connector. */
export type Owner = Pick<CredentialsRow, 'connector_id' | 'organization_id' | 'consumer_type' | 'consumer_id'>;
export type CredentialsKey = Owner & { name: string };

export function ownerOf(connectorId: string, consumer: Consumer, kind: ConsumerKind): Owner {
  const { organization_id } = consumer;
  const consumer_id = consumerIdOf(consumer, kind);
  return { connector_id: connectorId, organization_id, consumer_type: kind, consumer_id };
}

function ownedBy({ connector_id, organization_id, consumer_type, consumer_id }: Owner) {
  return ({ eb, and }: ExpressionBuilder<Tables, 'connector_credentials'>) =>
    and([
      eb('connector_id', '=', connector_id),
      eb('organization_id', '=', organization_id),
      eb('consumer_type', '=', consumer_type),
      eb('consumer_id', '=', consumer_id),
    ]);
}

export function listCredentials(db: Db, owner: Owner): Promise<CredentialsRow[]> {
  return db
    .selectFrom('connector_credentials')
    .selectAll()
    .where(ownedBy(owner))
    .orderBy('created_at')
    .orderBy('name')
    .execute();
}

/** The sign-ins of all consumers. */
export function listConnectorCredentials(db: Db, organizationId: string, connectorId: string, limit: number) {
  return db
    .selectFrom('connector_credentials')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connector_id', '=', connectorId)
    .where('authentication_type', '=', 'oauth2')
    .orderBy('created_at')
    .limit(limit)
    .execute();
}

/** Of the user, the workspace and the organization, for several connectors at once. */
export function listUsableCredentials(db: Db, consumer: Consumer, connectorIds: readonly string[]) {
  if (connectorIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('connector_credentials')
    .selectAll()
    .where('connector_id', 'in', connectorIds)
    .where('organization_id', '=', consumer.organization_id)
    .where(({ eb, and, or }) =>
      or(
        (['user', 'workspace', 'org'] as const).map((kind) =>
          and([eb('consumer_type', '=', kind), eb('consumer_id', '=', consumerIdOf(consumer, kind))]),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('name')
    .execute();
}

export function findCredentials(db: Db, key: CredentialsKey): Promise<CredentialsRow | undefined> {
  return db
    .selectFrom('connector_credentials')
    .selectAll()
    .where(ownedBy(key))
    .where('name', '=', key.name)
    .executeTakeFirst();
}

export async function saveCredentials(tx: Tx, row: CredentialsRow): Promise<void> {
  const { created_at: _created, creator_id: _creator, version, ...changes } = row;
  await tx
    .insertInto('connector_credentials')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['connector_id', 'organization_id', 'consumer_type', 'consumer_id', 'name'])
        .doUpdateSet({ ...changes, version }),
    )
    .execute();
}

export async function clearDefaults(tx: Tx, owner: Owner): Promise<void> {
  await tx.updateTable('connector_credentials').set({ is_default: false }).where(ownedBy(owner)).execute();
}

/** Returns what was deleted, so that tokens can be revoked. */
export async function deleteCredentials(tx: Tx, owner: Owner, name?: string): Promise<CredentialsRow[]> {
  const rows = (await listCredentials(tx, owner)).filter((row) => name === undefined || row.name === name);
  for (const row of rows)
    await tx.deleteFrom('connector_credentials').where(ownedBy(owner)).where('name', '=', row.name).execute();
  return rows;
}

/** True for one caller at a time: it alone asks for a new token. */
export async function leaseRefresh(
  db: Db,
  key: CredentialsKey,
  lease: { version: number; now: number; until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connector_credentials')
    .set({ lease_until_ms: lease.until })
    .where(ownedBy(key))
    .where('name', '=', key.name)
    .where('version', '=', lease.version)
    .where(({ eb, or }) => or([eb('lease_until_ms', 'is', null), eb('lease_until_ms', '<', lease.now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False if the credentials were replaced or deleted meanwhile. */
export async function updateCredentials(
  db: Db,
  key: CredentialsKey,
  version: number,
  changes: Partial<CredentialsRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connector_credentials')
    .set(changes)
    .where(ownedBy(key))
    .where('name', '=', key.name)
    .where('version', '=', version)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Of all consumers, with the clients that were registered for them. */
export async function deleteAllCredentials(tx: Tx, organizationId: string, connectorId: string): Promise<number> {
  for (const table of ['connector_clients', 'connector_sign_ins', 'connector_tools'] as const)
    await tx
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where('connector_id', '=', connectorId)
      .execute();
  const { numDeletedRows } = await tx
    .deleteFrom('connector_credentials')
    .where('organization_id', '=', organizationId)
    .where('connector_id', '=', connectorId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** What a user keeps for connectors in one organization: secrets, sign-ins that wait, preferences, and their uses. */
export async function deleteOfUser(
  tx: Tx,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<void> {
  for (const table of ['connector_credentials', 'connector_preferences'] as const)
    await tx
      .deleteFrom(table)
      .where('organization_id', '=', organization_id)
      .where('consumer_type', '=', 'user')
      .where('consumer_id', '=', user_id)
      .execute();
  for (const table of ['connector_sign_ins', 'connector_uses'] as const)
    await tx.deleteFrom(table).where('organization_id', '=', organization_id).where('user_id', '=', user_id).execute();
}
