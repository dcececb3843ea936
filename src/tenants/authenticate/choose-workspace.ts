import type { Db } from '../../kit/db/index.ts';
import { MEMBER_ROLE, type OrganizationRole, type WorkspaceRole, workspaceRoles } from '../permissions.ts';
import { type EffectiveRoles, effectiveRoles } from '../resolve-roles.ts';
import {
  findWorkspaceById,
  listOrganizationsOfUser,
  listWorkspaces,
  listWorkspacesOfUser,
} from '../store/organizations.ts';
import type { OrganizationRow } from '../store/tables.ts';

const ORGANIZATIONS_MAX = 100;
const WORKSPACES_MAX = 1000;

export type Place = {
  organization: OrganizationRow;
  /** None when the user has no workspace here, or named one that is not theirs. */
  workspace: { id: string; name: string } | undefined;
  roles: EffectiveRoles;
  /** They named a workspace, and it is not theirs: then they did not mean any other place either. */
  isLost: boolean;
};

export type PlaceSummary = { id: string; name: string; organization_id: string; role: WorkspaceRole };

export function isAdmin({ organization }: EffectiveRoles): boolean {
  return organization.includes('organization_admin');
}

/** The role that says most about what somebody may do. */
export function mainRole(roles: readonly OrganizationRole[]): OrganizationRole {
  if (roles.includes('organization_admin')) return 'organization_admin';
  return roles.includes('billing_manager') ? 'billing_manager' : 'member';
}

function mainWorkspaceRole(roles: readonly WorkspaceRole[]): WorkspaceRole {
  if (roles.includes('workspace_admin')) return 'workspace_admin';
  return roles.includes(MEMBER_ROLE)
    ? MEMBER_ROLE
    : (workspaceRoles.findLast((role) => roles.includes(role)) ?? 'user');
}

/**
 * Where a signed-in user is: in the workspace they named, if it is theirs; unnamed, in their first one. A workspace of
 * somebody else is the same as one that does not exist. Undefined when they belong to no organization any more.
 */
export async function choosePlace(db: Db, userId: string, wanted: string): Promise<Place | undefined> {
  const organizations = await listOrganizationsOfUser(db, userId, { offset: 0, limit: ORGANIZATIONS_MAX });
  const [first] = organizations;
  if (!first) return undefined;
  const id = wanted === '' ? (await listPlaces(db, userId, 1))[0]?.id : wanted;
  const workspace = id === undefined ? undefined : await findWorkspaceById(db, id);
  const organization = organizations.find((one) => one.id === workspace?.organization_id);
  if (workspace && organization && workspace.archived_at === null) {
    const roles = await effectiveRoles(db, organization.id, workspace.id, userId);
    if (roles.workspace.length > 0 || isAdmin(roles)) return { organization, workspace, roles, isLost: false };
  }
  const roles = await effectiveRoles(db, first.id, '', userId);
  return { organization: first, workspace: undefined, roles, isLost: wanted !== '' };
}

/** The workspaces that a user may enter, by organization and age; an admin may enter all of theirs. */
export async function listPlaces(db: Db, userId: string, limit = WORKSPACES_MAX): Promise<PlaceSummary[]> {
  const places: PlaceSummary[] = [];
  for (const { id: organizationId } of await listOrganizationsOfUser(db, userId, {
    offset: 0,
    limit: ORGANIZATIONS_MAX,
  })) {
    const admin = isAdmin(await effectiveRoles(db, organizationId, '', userId));
    const found = admin
      ? (await listWorkspaces(db, organizationId)).filter(({ archived_at }) => archived_at === null)
      : await listWorkspacesOfUser(db, userId, { organizationId, offset: 0, limit });
    for (const { id, name } of found.slice(0, limit - places.length)) {
      const roles = admin ? undefined : (await effectiveRoles(db, organizationId, id, userId)).workspace;
      places.push({
        id,
        name,
        organization_id: organizationId,
        role: roles ? mainWorkspaceRole(roles) : 'workspace_admin',
      });
    }
  }
  return places;
}
