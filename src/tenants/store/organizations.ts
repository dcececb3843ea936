import type { Db } from '../../kit/db/index.ts';
import type { OrganizationRole, Plan, WorkspaceRole } from '../schema.ts';
import { workspacesByGroups } from './groups.ts';
import type { OrganizationRow, UserRow, WorkspaceRow } from './tables.ts';

export async function insertOrganization(db: Db, row: OrganizationRow): Promise<void> {
  await db.insertInto('organizations').values(row).execute();
}

export async function insertWorkspace(db: Db, row: WorkspaceRow): Promise<void> {
  await db.insertInto('workspaces').values(row).execute();
}

export async function insertUser(db: Db, row: UserRow): Promise<void> {
  await db.insertInto('users').values(row).execute();
}

export async function insertOrganizationMember(
  db: Db,
  organizationId: string,
  userId: string,
  role: OrganizationRole,
  now: string,
) {
  await db
    .insertInto('organization_members')
    .values({ organization_id: organizationId, user_id: userId, role, created_at: now })
    .execute();
}

export async function insertWorkspaceMember(
  db: Db,
  workspaceId: string,
  userId: string,
  role: WorkspaceRole,
  now: string,
) {
  await db
    .insertInto('workspace_members')
    .values({ workspace_id: workspaceId, user_id: userId, role, created_at: now })
    .execute();
}

export function listOrganizations(db: Db) {
  return db.selectFrom('organizations').selectAll().orderBy('created_at').execute();
}

export function findOrganization(db: Db, id: string) {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findUserByEmail(db: Db, email: string) {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
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

export function listOrganizationMembers(db: Db, organizationId: string) {
  return db
    .selectFrom('organization_members')
    .innerJoin('users', 'users.id', 'organization_members.user_id')
    .select(['users.id', 'users.email', 'organization_members.role'])
    .where('organization_members.organization_id', '=', organizationId)
    .orderBy('organization_members.created_at')
    .execute();
}

export async function updatePlan(db: Db, id: string, plan: Plan): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('organizations')
    .set({ plan })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Oldest first. */
export function listOrganizationsOfUser(db: Db, userId: string, { offset, limit } = { offset: 0, limit: 100 }) {
  return db
    .selectFrom('organizations')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb.selectFrom('organization_members').select('organization_id').where('user_id', '=', userId),
    )
    .orderBy('created_at')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute();
}

export function listWorkspacesOfUser(
  db: Db,
  userId: string,
  { organizationId, offset, limit }: { organizationId: string | null; offset: number; limit: number },
) {
  return db
    .selectFrom('workspaces')
    .select(['id', 'name', 'organization_id'])
    .where((eb) =>
      eb.or([
        eb('id', 'in', eb.selectFrom('workspace_members').select('workspace_id').where('user_id', '=', userId)),
        eb('id', 'in', workspacesByGroups(userId)),
      ]),
    )
    .where('archived_at', 'is', null)
    .$if(organizationId !== null, (query) => query.where('organization_id', '=', organizationId))
    .orderBy('created_at')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute();
}
