import type { Db } from '../kit/db/index.ts';
import type { OrganizationRole, WorkspaceRole } from './permissions.ts';
import { listGroupRolesOf } from './store/groups.ts';
import { listOrganizationRolesOf, listWorkspaceRolesOf } from './store/keys.ts';

export type EffectiveRoles = { workspace: WorkspaceRole[]; organization: OrganizationRole[] };

/**
 * What a user has in a workspace: their own roles, and those of their groups and of the groups around those. A user who
 * is no member of the organization has nothing, whatever groups say.
 */
export async function effectiveRoles(
  db: Db,
  organizationId: string,
  workspaceId: string,
  userId: string,
): Promise<EffectiveRoles> {
  const organization = await listOrganizationRolesOf(db, organizationId, userId);
  if (organization.length === 0) return { workspace: [], organization: [] };
  const [own, groups] = [
    await listWorkspaceRolesOf(db, workspaceId, userId),
    await listGroupRolesOf(db, organizationId, workspaceId, userId),
  ];
  return {
    workspace: [...new Set([...own, ...groups.flatMap(({ role }) => role ?? [])])],
    organization: [
      ...new Set([...organization, ...groups.flatMap(({ organization_role }) => organization_role ?? [])]),
    ],
  };
}
