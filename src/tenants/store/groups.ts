import { type RawBuilder, sql } from 'kysely';
import {
  contains,
  countFound,
  type Db,
  findPlace,
  isFrom,
  rowsOf,
  type Searched,
  type Tx,
} from '../../kit/db/index.ts';
import type { WorkspaceRole } from '../schema.ts';
import { shownEmail } from './accounts.ts';
import type { GroupRow } from './tables.ts';

export async function insertGroup(tx: Tx, row: GroupRow): Promise<void> {
  await tx.insertInto('user_groups').values(row).execute();
}

export function findGroup(db: Db, organizationId: string, id: string): Promise<GroupRow | undefined> {
  return db
    .selectFrom('user_groups')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

type GroupList = { search?: string | undefined; among?: readonly string[] | undefined; offset: number; limit: number };

export const searchedGroups = (organizationId: string): Searched => ({
  list: 'user_groups',
  scope: { column: 'organization_id', id: organizationId },
  texts: ['lower(name)'],
});

/** Oldest first. */
export async function listGroups(
  db: Db,
  organizationId: string,
  { search, among, offset, limit }: GroupList,
): Promise<GroupRow[]> {
  const of = search === undefined ? { list: 'user_groups', scope: organizationId } : undefined;
  const place = await findPlace(db, of, offset, 'asc');
  if (!place) return [];
  return rowsOf(db, 'user_groups', among)
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(isFrom('created_at', place, 'asc'))
    .$if(search !== undefined, (query) => query.where(contains('name', search ?? '')))
    .orderBy('created_at')
    .orderBy('id')
    .offset(place.offset)
    .limit(limit)
    .execute();
}

/** The groups that have one of these ids or names, and whether the user is a direct member. */
export async function listGroupsNamed(db: Db, organizationId: string, named: readonly string[], userId: string) {
  return db
    .selectFrom('user_groups')
    .leftJoin('user_group_members', (join) =>
      join.onRef('user_group_members.group_id', '=', 'user_groups.id').on('user_group_members.user_id', '=', userId),
    )
    .select(['user_groups.id', 'user_groups.name', 'user_group_members.user_id as member_id'])
    .where('user_groups.organization_id', '=', organizationId)
    .where((eb) => eb.or([eb('user_groups.id', 'in', named), eb('user_groups.name', 'in', named)]))
    .orderBy('user_groups.id')
    .execute();
}

export function countGroups(
  db: Db,
  organizationId: string,
  { search, among, offset, limit }: GroupList & { search: string },
): Promise<number> {
  const found = rowsOf(db, 'user_groups', among)
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(contains('name', search));
  const of = { list: 'user_groups', scope: organizationId };
  return countFound(db, found, among, { of, pageEnd: offset + limit });
}

/** The given ids that are groups of the organization. */
export async function listGroupIds(db: Db, organizationId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('user_groups')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function updateGroup(tx: Tx, id: string, set: Partial<Omit<GroupRow, 'id'>>): Promise<void> {
  await tx.updateTable('user_groups').set(set).where('id', '=', id).execute();
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx
    .deleteFrom('user_group_parents')
    .where((eb) => eb.or([eb('child_id', '=', id), eb('parent_id', '=', id)]))
    .execute();
  await tx.deleteFrom('user_group_members').where('group_id', '=', id).execute();
  await tx.deleteFrom('user_group_workspaces').where('group_id', '=', id).execute();
  await tx.deleteFrom('user_groups').where('id', '=', id).execute();
}

export async function listParents(db: Db, childIds: readonly string[]) {
  if (childIds.length === 0) return [];
  return db
    .selectFrom('user_group_parents')
    .selectAll()
    .where('child_id', 'in', childIds)
    .orderBy('parent_id')
    .execute();
}

export function listChildren(db: Db, parentId: string) {
  return db
    .selectFrom('user_group_parents')
    .innerJoin('user_groups', 'user_groups.id', 'user_group_parents.child_id')
    .select(['user_groups.id', 'user_groups.name'])
    .where('user_group_parents.parent_id', '=', parentId)
    .orderBy('user_groups.created_at')
    .orderBy('user_groups.id')
    .execute();
}

export async function updateParents(tx: Tx, childId: string, parentIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('user_group_parents').where('child_id', '=', childId).execute();
  for (const parent_id of parentIds)
    await tx.insertInto('user_group_parents').values({ child_id: childId, parent_id }).execute();
}

export async function updateChildren(tx: Tx, parentId: string, childIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('user_group_parents').where('parent_id', '=', parentId).execute();
  for (const child_id of childIds)
    await tx.insertInto('user_group_parents').values({ child_id, parent_id: parentId }).execute();
}

/** `around`: the selected groups and all groups they are nested in. */
function around(selected: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`with recursive around (id) as (
      ${selected}
      union
      select parent_id from user_group_parents inner join around on around.id = user_group_parents.child_id
    )`;
}

/** The group and all groups it is nested in. */
export async function listAncestors(db: Db, groupId: string): Promise<Set<string>> {
  const group = sql`select id from user_groups where id = ${groupId}`;
  const { rows } = await sql<{ id: string }>`${around(group)} select id from around`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The roles of the user's groups, and of the groups around these, in the organization and the workspace. */
export async function listGroupRolesOf(db: Db, organizationId: string, workspaceId: string, userId: string) {
  const own = sql`select user_group_members.group_id from user_group_members
      inner join user_groups on user_groups.id = user_group_members.group_id
      where user_group_members.user_id = ${userId} and user_groups.organization_id = ${organizationId}`;
  const { rows } = await sql<{ organization_role: GroupRow['organization_role']; role: WorkspaceRole | null }>`
    ${around(own)}
    select user_groups.organization_role, user_group_workspaces.role from around
    inner join user_groups on user_groups.id = around.id
    left join user_group_workspaces
      on user_group_workspaces.group_id = around.id and user_group_workspaces.workspace_id = ${workspaceId}`.execute(
    db,
  );
  return rows;
}

/** For a condition: the workspaces in which the user's groups, and the groups around these, have roles. */
export function workspacesByGroups(userId: string): RawBuilder<string> {
  const own = sql`select group_id from user_group_members where user_id = ${userId}`;
  return sql<string>`(
    ${around(own)}
    select workspace_id from user_group_workspaces where group_id in (select id from around)
  )`;
}

export async function insertGroupMember(tx: Tx, groupId: string, userId: string, now: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('user_group_members')
    .values({ group_id: groupId, user_id: userId, created_at: now })
    .onConflict((conflict) => conflict.columns(['group_id', 'user_id']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deleteGroupMember(tx: Tx, groupId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_group_members')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function listGroupMembers(db: Db, groupId: string, { offset, limit }: { offset: number; limit: number }) {
  const place = await findPlace(db, { list: 'user_group_members', scope: groupId }, offset, 'asc');
  if (!place) return [];
  return db
    .selectFrom('user_group_members')
    .innerJoin('users', 'users.id', 'user_group_members.user_id')
    .select(['users.id', shownEmail.as('email'), 'users.first_name', 'users.last_name'])
    .where('user_group_members.group_id', '=', groupId)
    .where(isFrom('user_group_members.created_at', place, 'asc'))
    .orderBy('user_group_members.created_at')
    .orderBy('user_group_members.user_id')
    .offset(place.offset)
    .limit(limit)
    .execute();
}

/** The workspaces in which the group has roles, oldest first. */
export function listGroupWorkspaces(db: Db, groupId: string, { offset, limit }: { offset: number; limit: number }) {
  return db
    .selectFrom('user_group_workspaces')
    .innerJoin('workspaces', 'workspaces.id', 'user_group_workspaces.workspace_id')
    .select(['workspaces.id', 'workspaces.name'])
    .select(sql<string>`min(user_group_workspaces.created_at)`.as('created_at'))
    .where('user_group_workspaces.group_id', '=', groupId)
    .groupBy(['workspaces.id', 'workspaces.name'])
    .orderBy('created_at')
    .orderBy('workspaces.id')
    .offset(offset)
    .limit(limit)
    .execute();
}

export async function listGroupRolesIn(db: Db, groupId: string, workspaceIds: readonly string[]) {
  if (workspaceIds.length === 0) return [];
  return db
    .selectFrom('user_group_workspaces')
    .select(['workspace_id', 'role', 'created_at'])
    .where('group_id', '=', groupId)
    .where('workspace_id', 'in', workspaceIds)
    .orderBy('role')
    .execute();
}

/** Replaces the group's roles in the workspace. */
export async function updateGroupRoles(
  tx: Tx,
  groupId: string,
  workspaceId: string,
  roles: readonly WorkspaceRole[],
  createdAt: string,
): Promise<void> {
  await tx
    .deleteFrom('user_group_workspaces')
    .where('group_id', '=', groupId)
    .where('workspace_id', '=', workspaceId)
    .execute();
  for (const role of roles)
    await tx
      .insertInto('user_group_workspaces')
      .values({ group_id: groupId, workspace_id: workspaceId, role, created_at: createdAt })
      .execute();
}
