import { sql } from 'kysely';
import {
  contains,
  countFound,
  type Db,
  findPlace,
  isFrom,
  padValues,
  type Searched,
  type Tx,
} from '../../kit/db/index.ts';
import type { OrganizationRole, WorkspaceRole } from '../schema.ts';
import { shownEmail } from './accounts.ts';

export type MemberRow = {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  /** When the user joined the organization. */
  created_at: string;
};

type MemberList = {
  email?: string | undefined;
  /** All that have the address are among these users. */
  among?: readonly string[] | undefined;
  offset: number;
  limit: number;
};

export const searchedUsers: Searched = {
  list: 'users',
  texts: ['lower(coalesce(pending_email, service_name, email))'],
};

/** Oldest first. All roles of a member have the same date, so the index yields each member once. */
export async function listMembers(
  db: Db,
  organizationId: string,
  { email, among, offset, limit }: MemberList,
): Promise<MemberRow[]> {
  const of = email === undefined ? { list: 'organization_members', scope: organizationId } : undefined;
  const place = await findPlace(db, of, offset, 'asc');
  if (!place) return [];
  return db
    .selectFrom((from) =>
      from
        .selectFrom('organization_members')
        .select(['organization_members.created_at', 'organization_members.user_id'])
        .distinct()
        // Not the bare column where the users are known: its index would have all members read.
        .where(among ? sql`organization_id || ''` : 'organization_id', '=', organizationId)
        .$if(among !== undefined, (query) => query.where('organization_members.user_id', 'in', padValues(among ?? [])))
        .where(isFrom('organization_members.created_at', place, 'asc'))
        .$if(email !== undefined, (query) =>
          query.innerJoin('users', 'users.id', 'organization_members.user_id').where(contains(shownEmail, email ?? '')),
        )
        .orderBy('organization_members.created_at')
        .orderBy('organization_members.user_id')
        .offset(place.offset)
        .limit(limit)
        .as('page'),
    )
    .innerJoin('users', 'users.id', 'page.user_id')
    .select(['users.id', shownEmail.as('email'), 'users.first_name', 'users.last_name', 'page.created_at'])
    .orderBy('page.created_at')
    .orderBy('users.id')
    .execute();
}

/** For filtered lists; `findTally` has the total of all. */
export async function countMembers(
  db: Db,
  organizationId: string,
  { email, among, offset, limit }: MemberList & { email: string },
): Promise<number> {
  if (among?.length === 0) return 0;
  const found = db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['organization_members.created_at', 'organization_members.user_id'])
    .distinct()
    .where(among ? sql`organization_id || ''` : 'organization_id', '=', organizationId)
    .$if(among !== undefined, (query) => query.where('organization_members.user_id', 'in', padValues(among ?? [])))
    .where(contains(shownEmail, email));
  const of = { list: 'organization_members', scope: organizationId };
  return countFound(db, found, among, { of, pageEnd: offset + limit });
}

export function findMember(db: Db, organizationId: string, userId: string): Promise<MemberRow | undefined> {
  return db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['users.id', shownEmail.as('email'), 'users.first_name', 'users.last_name'])
    .select('organization_members.created_at')
    .where('organization_members.organization_id', '=', organizationId)
    .where('organization_members.user_id', '=', userId)
    .executeTakeFirst();
}

/** The given users that belong to the organization. */
export async function listMemberIds(db: Db, organizationId: string, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('organization_members')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('user_id', 'in', userIds)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Addresses of members, and names of service accounts, also of those that were deleted. */
export function listEmails(db: Db, organizationId: string, ids: readonly string[]) {
  return db
    .selectFrom('users')
    .select(['id', shownEmail.as('email')])
    .where('id', 'in', ids)
    .where((eb) =>
      eb.or([
        eb(
          'id',
          'in',
          eb.selectFrom('organization_members').select('user_id').where('organization_id', '=', organizationId),
        ),
        eb('id', 'in', eb.selectFrom('service_accounts').select('id').where('organization_id', '=', organizationId)),
      ]),
    )
    .execute();
}

export function listOrganizationRolesOfUsers(db: Db, organizationId: string, userIds: readonly string[]) {
  return db
    .selectFrom('organization_members')
    .select(['user_id', 'role'])
    .where('organization_id', '=', organizationId)
    .where('user_id', 'in', userIds)
    .orderBy('role')
    .execute();
}

/** Two queries, because with a join the planner may scan all workspaces of the organization. */
export async function listWorkspacesOfMembers(db: Db, organizationId: string, userIds: readonly string[]) {
  const placements = await db
    .selectFrom('workspace_members')
    .select(['workspace_id', 'user_id', 'role'])
    .where('user_id', 'in', userIds)
    .orderBy('role')
    .execute();
  const ids = [...new Set(placements.map(({ workspace_id }) => workspace_id))];
  const workspaces = ids.length === 0 ? [] : await listWorkspacesInUse(db, ids);
  const rolesIn = Map.groupBy(placements, ({ workspace_id }) => workspace_id);
  return workspaces
    .filter(({ organization_id }) => organization_id === organizationId)
    .flatMap(({ id, name, is_default }) =>
      (rolesIn.get(id) ?? []).map(({ user_id, role }) => ({ id, name, is_default, user_id, role })),
    );
}

function listWorkspacesInUse(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('workspaces')
    .select(['id', 'organization_id', 'name', 'is_default'])
    .where('id', 'in', ids)
    .where('archived_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function hasOtherAdmin(tx: Tx, organizationId: string, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('organization_members')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'organization_admin')
    .where('user_id', '<>', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Replaces the member's roles and keeps the date of joining. */
export async function updateOrganizationRoles(
  tx: Tx,
  organizationId: string,
  member: { id: string; created_at: string },
  roles: readonly OrganizationRole[],
): Promise<void> {
  const own = { organization_id: organizationId, user_id: member.id };
  for (const role of roles)
    await tx
      .insertInto('organization_members')
      .values({ ...own, role, created_at: member.created_at })
      .onConflict((conflict) => conflict.columns(['organization_id', 'user_id', 'role']).doNothing())
      .execute();
  await tx
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', member.id)
    .where('role', 'not in', roles)
    .execute();
}

/** Removes the user from the organization, its workspaces and its groups. */
export async function deleteMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('organization_members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
  await tx
    .deleteFrom('workspace_members')
    .where('user_id', '=', userId)
    .where('workspace_id', 'in', (eb) =>
      eb.selectFrom('workspaces').select('id').where('organization_id', '=', organizationId),
    )
    .execute();
  await tx
    .deleteFrom('user_group_members')
    .where('user_id', '=', userId)
    .where('group_id', 'in', (eb) =>
      eb.selectFrom('user_groups').select('id').where('organization_id', '=', organizationId),
    )
    .execute();
}

/** Replaces the user's roles in the workspace. */
export async function updateWorkspaceRoles(
  tx: Tx,
  workspaceId: string,
  userId: string,
  roles: readonly WorkspaceRole[],
  now: string,
): Promise<void> {
  for (const role of roles)
    await tx
      .insertInto('workspace_members')
      .values({ workspace_id: workspaceId, user_id: userId, role, created_at: now })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id', 'role']).doNothing())
      .execute();
  await tx
    .deleteFrom('workspace_members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('role', 'not in', roles)
    .execute();
}

export function listOrganizationMembers(db: Db, organizationId: string) {
  return db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['users.id', shownEmail.as('email'), 'organization_members.role'])
    .where('organization_members.organization_id', '=', organizationId)
    .orderBy('organization_members.created_at')
    .execute();
}

export async function listWorkspaceRolesOf(db: Db, workspaceId: string, userId: string) {
  const rows = await db
    .selectFrom('workspace_members')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ role }) => role);
}
