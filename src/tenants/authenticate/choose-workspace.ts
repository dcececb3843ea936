import type { Db } from '../../kit/db/index.ts';
import { isAdmin } from '../permissions.ts';
import { type Roles, resolveRoles } from '../resolve-roles.ts';
import { MEMBER_ROLE, type WorkspaceRole, workspaceRoles } from '../schema.ts';
import { listOrganizationsOfUser } from '../store/organizations.ts';
import type { OrganizationRow } from '../store/tables.ts';
import { findWorkspaceById, listWorkspaces, listWorkspacesOfUser } from '../store/workspaces.ts';

const WORKSPACES_MAX = 1000;

export type CurrentWorkspace = {
  organization: OrganizationRow;
  /** Undefined when the user has no workspace here, or requested one that is not theirs. */
  workspace: { id: string; name: string } | undefined;
  roles: Roles;
  /** The requested workspace is not the user's. It is not replaced by another one. */
  isDenied: boolean;
};

export type WorkspaceSummary = { id: string; name: string; organization_id: string; role: WorkspaceRole };

/**
 * The workspace of a session: the requested one, or else the user's first. A workspace of others is treated like a missing
 * one, and with `boundTo` so is each outside that organization. Undefined when the user belongs to none of these.
 */
export async function chooseWorkspace(
  db: Db,
  userId: string,
  requested: string,
  boundTo?: string,
): Promise<CurrentWorkspace | undefined> {
  const organizations = await listOrganizationsOfUser(db, userId, undefined, boundTo);
  const [first] = organizations;
  if (!first) return undefined;
  const id = requested === '' ? (await listUserWorkspaces(db, userId, boundTo, 1))[0]?.id : requested;
  const workspace = id === undefined ? undefined : await findWorkspaceById(db, id);
  const organization = organizations.find((one) => one.id === workspace?.organization_id);
  if (workspace && organization && workspace.archived_at === null) {
    const roles = await resolveRoles(db, organization.id, workspace.id, userId);
    if (roles.workspace.length > 0 || isAdmin(roles.organization))
      return { organization, workspace, roles, isDenied: false };
  }
  const roles = await resolveRoles(db, first.id, '', userId);
  return { organization: first, workspace: undefined, roles, isDenied: requested !== '' };
}

/**
 * The workspaces a user may enter, by organization and age, or those of one organization; an admin may enter all of the
 * organization's.
 */
export async function listUserWorkspaces(
  db: Db,
  userId: string,
  organizationId?: string,
  limit = WORKSPACES_MAX,
): Promise<WorkspaceSummary[]> {
  const summaries: WorkspaceSummary[] = [];
  for (const { id: organization_id } of await listOrganizationsOfUser(db, userId, undefined, organizationId)) {
    const admin = isAdmin((await resolveRoles(db, organization_id, '', userId)).organization);
    const found = admin
      ? (await listWorkspaces(db, organization_id)).filter(({ archived_at }) => archived_at === null)
      : await listWorkspacesOfUser(db, userId, { organizationId: organization_id, offset: 0, limit });
    for (const { id, name } of found.slice(0, limit - summaries.length)) {
      const roles = admin ? undefined : (await resolveRoles(db, organization_id, id, userId)).workspace;
      summaries.push({ id, name, organization_id, role: roles ? mainRole(roles) : 'workspace_admin' });
    }
  }
  return summaries;
}

/** The role to show for several: the one with the most permissions. */
function mainRole(roles: readonly WorkspaceRole[]): WorkspaceRole {
  if (roles.includes('workspace_admin')) return 'workspace_admin';
  if (roles.includes(MEMBER_ROLE)) return MEMBER_ROLE;
  return workspaceRoles.findLast((role) => roles.includes(role)) ?? 'user';
}
