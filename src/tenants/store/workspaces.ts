import { sql } from 'kysely';
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
import { workspacesByGroups } from './groups.ts';
import type { WorkspaceRow } from './tables.ts';

type WorkspaceList = {
  isArchived: boolean;
  search?: string | undefined;
  among?: readonly string[] | undefined;
  offset: number;
  limit: number;
};

export const searchedWorkspaces = (organizationId: string): Searched => ({
  list: 'workspaces',
  scope: { column: 'organization_id', id: organizationId },
  texts: ['lower(name)'],
});

const membersOf = (id: string) =>
  sql<number>`coalesce((select amount from tallies where scope_id = ${sql.ref(id)} and noun = 'members'), 0)`;

/** Oldest first, each with the number of its own members. */
export async function listWorkspacePage(db: Db, organizationId: string, list: WorkspaceList) {
  const { isArchived, search, among, offset, limit } = list;
  const accepts = ([isInUse]: readonly string[]) => isInUse === (isArchived ? '0' : '1');
  const of = search === undefined ? { list: 'workspaces', scope: organizationId, accepts } : undefined;
  const place = await findPlace(db, of, offset, 'asc');
  if (!place) return [];
  return rowsOf(db, 'workspaces', among)
    .selectAll('workspaces')
    .select(membersOf('workspaces.id').as('members_count'))
    .where('organization_id', '=', organizationId)
    .where('archived_at', isArchived ? 'is not' : 'is', null)
    .where(isFrom('created_at', place, 'asc'))
    .$if(search !== undefined, (query) => query.where(contains('workspaces.name', search ?? '')))
    .orderBy('created_at')
    .orderBy('id')
    .offset(place.offset)
    .limit(limit)
    .execute();
}

/** For searches; `findTally` has the total of all. */
export function countWorkspaces(
  db: Db,
  organizationId: string,
  { isArchived, search, among, offset, limit }: WorkspaceList & { search: string },
): Promise<number> {
  const found = rowsOf(db, 'workspaces', among)
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('archived_at', isArchived ? 'is not' : 'is', null)
    .where(contains('name', search));
  const accepts = ([isInUse]: readonly string[]) => isInUse === (isArchived ? '0' : '1');
  const of = { list: 'workspaces', scope: organizationId, accepts };
  return countFound(db, found, among, { of, pageEnd: offset + limit });
}

export function findWorkspace(db: Db, organizationId: string, id: string) {
  return db
    .selectFrom('workspaces')
    .selectAll('workspaces')
    .select(membersOf('workspaces.id').as('members_count'))
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The given ids that are workspaces of the organization and not archived. */
export async function listWorkspaceIds(db: Db, organizationId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('archived_at', 'is', null)
    .where('id', 'in', ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function updateWorkspace(
  tx: Tx,
  id: string,
  set: Partial<Pick<WorkspaceRow, 'name' | 'description' | 'icon' | 'archived_at'>>,
): Promise<void> {
  await tx.updateTable('workspaces').set(set).where('id', '=', id).execute();
}

/** Adds all other members of the organization to the workspace; returns how many. */
export async function insertAllMembers(
  tx: Tx,
  { id, organization_id }: Pick<WorkspaceRow, 'id' | 'organization_id'>,
  role: WorkspaceRole,
  now: string,
): Promise<number> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('workspace_members')
    .columns(['workspace_id', 'user_id', 'role', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('organization_members')
        .select([sql<string>`${id}`.as('workspace_id'), 'user_id'])
        .select([sql<WorkspaceRole>`${role}`.as('role'), sql<string>`${now}`.as('created_at')])
        .distinct()
        .where('organization_id', '=', organization_id)
        .where('user_id', 'not in', (inside) =>
          inside.selectFrom('workspace_members').select('user_id').where('workspace_id', '=', id),
        ),
    )
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0n);
}

export async function listWorkspaceMemberIds(
  db: Db,
  workspaceId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('workspace_members')
    .select('user_id')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('user_id', 'in', userIds)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

export async function deleteWorkspaceMember(tx: Tx, workspaceId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('workspace_members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function insertWorkspace(db: Db, row: WorkspaceRow): Promise<void> {
  await db.insertInto('workspaces').values(row).execute();
}

export function findWorkspaceById(db: Db, id: string) {
  return db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst();
}

export function listWorkspaces(db: Db, organizationId: string) {
  return db
    .selectFrom('workspaces')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .execute();
}

export function listWorkspacesOfUser(
  db: Db,
  userId: string,
  { organizationId, offset, limit }: { organizationId: string | null; offset: number; limit: number },
) {
  // A union and no "or", so that the user's few are found first, and not looked for among all.
  const own = sql<string>`(
    select workspace_id from workspace_members where user_id = ${userId}
    union select workspace_id from ${workspacesByGroups(userId)} as by_groups
  )`;
  return (
    db
      .selectFrom('workspaces')
      .select(['id', 'name', 'organization_id'])
      .where('id', 'in', own)
      .where('archived_at', 'is', null)
      // Not the bare column, whose index would have all workspaces of the organization looked at.
      .$if(organizationId !== null, (query) => query.where(sql`organization_id || ''`, '=', organizationId))
      .orderBy('created_at')
      .orderBy('id')
      .offset(offset)
      .limit(limit)
      .execute()
  );
}
