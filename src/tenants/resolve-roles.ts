import type { Db } from '../kit/db/index.ts';
import type { OrganizationRole, WorkspaceRole } from './schema.ts';
import { listGroupRolesOf } from './store/groups.ts';
import { listOrganizationRolesOfUsers, listWorkspaceRolesOf } from './store/members.ts';
import { findServiceAccount } from './store/service-accounts.ts';

export type Roles = { workspace: WorkspaceRole[]; organization: OrganizationRole[] };

/**
 * A user's roles in a workspace and its organization: their own, and those of their groups and the groups around these.
 * A user who is not a member of the organization has none, even if groups still list them. A service account has its own
 * roles, in its own workspace.
 */
export async function resolveRoles(
  db: Db,
  organizationId: string,
  workspaceId: string,
  userId: string,
): Promise<Roles> {
  const memberships = await listOrganizationRolesOfUsers(db, organizationId, [userId]);
  if (memberships.length === 0) return resolveServiceRoles(db, organizationId, workspaceId, userId);
  const own = await listWorkspaceRolesOf(db, workspaceId, userId);
  const groups = await listGroupRolesOf(db, organizationId, workspaceId, userId);
  return {
    workspace: [...new Set([...own, ...groups.flatMap(({ role }) => role ?? [])])],
    organization: [
      ...new Set([
        ...memberships.map(({ role }) => role),
        ...groups.flatMap(({ organization_role }) => organization_role ?? []),
      ]),
    ],
  };
}

async function resolveServiceRoles(db: Db, organizationId: string, workspaceId: string, id: string): Promise<Roles> {
  const account = await findServiceAccount(db, organizationId, id);
  if (account?.workspace_id !== workspaceId) return { workspace: [], organization: [] };
  return { workspace: account.roles, organization: ['member'] };
}
