import { sql } from 'kysely';
import { contains, type Database, type Db, findCandidates, findPlace, isFrom, rowsOf } from '../../kit/db/index.ts';
import { shownEmail } from './accounts.ts';
import type { KeyRow } from './tables.ts';

export async function insertKey(db: Db, row: KeyRow): Promise<void> {
  await db.insertInto('api_keys').values(row).execute();
}

export function findKeyByHash(db: Db, hash: string) {
  return db.selectFrom('api_keys').selectAll().where('hash', '=', hash).executeTakeFirst();
}

export function findKey(db: Db, id: string) {
  return db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The key with its organization, workspace and user, in one query. */
export function findKeyWithOwner(db: Db, by: 'hash' | 'id', value: string) {
  return db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .leftJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .leftJoin('users', 'users.id', 'api_keys.user_id')
    .selectAll('api_keys')
    .select([
      'organizations.name as organization_name',
      'organizations.plan as organization_plan',
      'workspaces.name as workspace_name',
      'workspaces.archived_at as workspace_archived_at',
      shownEmail.as('email'),
      'users.service_name as service_name',
      'users.first_name as first_name',
      'users.last_name as last_name',
    ])
    .where(`api_keys.${by}`, '=', value)
    .executeTakeFirst();
}

export async function listIrregularHashes(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select('hash')
    .where('is_irregular', '=', true)
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map(({ hash }) => hash);
}

export function listKeys(db: Db, organizationId?: string) {
  return db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .leftJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .leftJoin('users', 'users.id', 'api_keys.user_id')
    .selectAll('api_keys')
    .select(['organizations.name as organization_name', 'workspaces.name as workspace_name', shownEmail.as('email')])
    .$if(organizationId !== undefined, (query) => query.where('api_keys.organization_id', '=', organizationId ?? ''))
    .orderBy('api_keys.created_at')
    .execute();
}

export async function updateRevokedAt(db: Db, id: string, now: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function updateLastUsedAt(db: Db, id: string, usedAt: string): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: usedAt }).where('id', '=', id).execute();
}

/** Oldest first. The condition must match the index api_keys_in_use literally, or it is not used. */
export async function listKeyPage(
  { db, kind }: Pick<Database, 'db' | 'kind'>,
  organizationId: string,
  { name, offset, limit }: { name?: string | undefined; offset: number; limit: number },
) {
  const accepts = ([isUsable]: readonly string[]) => isUsable === '1';
  const of = name ? undefined : { list: 'api_keys', scope: organizationId, accepts };
  const place = await findPlace(db, of, offset, 'asc');
  if (!place) return [];
  const scope = { column: 'organization_id', id: organizationId };
  const texts = ['lower(name)', 'lower(hint)'];
  const among = await findCandidates({ db, kind }, { list: 'api_keys', scope, texts }, name?.toLowerCase());
  if (among?.length === 0) return [];
  return rowsOf(db, 'api_keys', among)
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.id', 'api_keys.name', 'api_keys.hint', 'api_keys.created_at', 'api_keys.expires_at'])
    .select(['api_keys.last_used_at', 'workspaces.id as workspace_id', 'workspaces.name as workspace_name'])
    .select(shownEmail.as('email'))
    .where('api_keys.organization_id', '=', organizationId)
    .where(sql<boolean>`api_keys.revoked_at is null and api_keys.kind = 'standard'`)
    .where(isFrom('api_keys.created_at', place, 'asc'))
    .$if(!!name, (query) =>
      query.where((eb) => eb.or([contains('api_keys.name', name ?? ''), eb('api_keys.hint', '=', name ?? '')])),
    )
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id')
    .offset(place.offset)
    .limit(limit)
    .execute();
}

export function listKeysOfUser(db: Db, organizationId: string, userId: string): Promise<KeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .execute();
}
