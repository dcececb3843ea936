import type { Db } from '../../kit/db/index.ts';
import { shownEmail } from './accounts.ts';

type NameRow = { id: string; name: string };
type EndingNameRow = NameRow & { ended_at: string | null };

export function listMemberNames(db: Db, organizationId: string, ids: readonly string[]): Promise<NameRow[]> {
  return db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['users.id', shownEmail.as('name')])
    .distinct()
    .where('organization_members.organization_id', '=', organizationId)
    .where('organization_members.user_id', 'in', ids)
    .execute();
}

/** Deleted ones keep their name. */
export function listAccountNames(db: Db, organizationId: string, ids: readonly string[]): Promise<EndingNameRow[]> {
  return db
    .selectFrom('service_accounts')
    .select(['id', 'name', 'deleted_at as ended_at'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
}

/** Revoked ones keep their name. With a user, only keys of that user. */
export async function listKeyNames(
  db: Db,
  organizationId: string,
  ids: readonly string[],
  userId: string | undefined,
): Promise<EndingNameRow[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'name', 'hint', 'revoked_at as ended_at'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .execute();
  return rows.map(({ hint, name, ...row }) => ({ ...row, name: name || `key …${hint}` }));
}

export function listWorkspaceNames(db: Db, organizationId: string, ids: readonly string[]): Promise<EndingNameRow[]> {
  return db
    .selectFrom('workspaces')
    .select(['id', 'name', 'archived_at as ended_at'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
}
