import type { Db } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { ADMIN_PERMISSIONS, IDENTITY_READ, isAdmin, permissionsOf, planRefusal } from '../permissions.ts';
import { resolveRoles } from '../resolve-roles.ts';
import type { findKeyWithOwner } from '../store/keys.ts';
import { findMember } from '../store/members.ts';
import { findOrganization } from '../store/organizations.ts';
import { findWorkspaceById } from '../store/workspaces.ts';

type KeyWithOwner = NonNullable<Awaited<ReturnType<typeof findKeyWithOwner>>>;

const NO_LONGER_MEMBER = 'its user is no longer a member of the organization';
const WORKSPACE_ARCHIVED = 'its workspace is archived';

/** What a key may do, or why it may do nothing. The caller checks whether it has expired. */
export async function readKeyScope(db: Db, row: KeyWithOwner): Promise<Scope | string> {
  if (row.revoked_at !== null) return 'its API key was revoked';
  if (row.workspace_archived_at !== null) return WORKSPACE_ARCHIVED;
  const service_account = row.service_name ?? undefined;
  const base = {
    kind: row.kind,
    key_id: row.id,
    organization_id: row.organization_id,
    plan: row.organization_plan,
    workspace_id: row.workspace_id ?? '',
    user_id: row.user_id ?? '',
    principal: `${row.workspace_id ?? row.organization_id}:${row.user_id ?? row.id}`,
    expires_at_ms: row.expires_at === null ? undefined : Date.parse(row.expires_at),
    ...(service_account !== undefined && { service_account }),
    ...(row.allowed_models !== null && { allowed_models: JSON.parse(row.allowed_models) as string[] }),
    ...(row.allowed_tools !== null && { allowed_tools: JSON.parse(row.allowed_tools) as string[] }),
    identity: {
      id: row.user_id ?? row.id,
      email: service_account === undefined ? row.email : null,
      first_name: row.first_name,
      last_name: row.last_name,
      workspace: row.workspace_id === null ? null : { id: row.workspace_id, name: row.workspace_name ?? '' },
      organization: { id: row.organization_id, name: row.organization_name },
      api_key: { id: row.id, name: row.name },
    },
  };
  if (row.kind === 'admin')
    return { ...base, permissions: ADMIN_PERMISSIONS, refusal: planRefusal(row.organization_plan) };
  if (row.workspace_id === null || row.user_id === null) return NO_LONGER_MEMBER;
  const roles = await resolveRoles(db, row.organization_id, row.workspace_id, row.user_id);
  // The keys of a user who left the organization are no longer valid.
  if (roles.organization.length === 0) return NO_LONGER_MEMBER;
  const permissions = permissionsOf(roles.workspace, roles.organization);
  // A service account may have no role yet; it can still ask who it is.
  return {
    ...base,
    permissions: service_account === undefined ? permissions : new Set([...permissions, IDENTITY_READ]),
  };
}

/** What a user may do in a workspace without a key, or why nothing. `sessionId` is only for the audit log. */
export async function readUserScope(
  db: Db,
  userId: string,
  workspaceId: string,
  sessionId: string,
): Promise<Scope | string> {
  const workspace = await findWorkspaceById(db, workspaceId);
  const organization = workspace && (await findOrganization(db, workspace.organization_id));
  if (!organization) return 'its workspace was deleted';
  if (workspace.archived_at !== null) return WORKSPACE_ARCHIVED;
  const user = await findMember(db, organization.id, userId);
  if (!user) return NO_LONGER_MEMBER;
  const roles = await resolveRoles(db, organization.id, workspaceId, userId);
  if (roles.workspace.length === 0 && !isAdmin(roles.organization))
    return 'its user is no longer a member of the workspace';
  const { email, first_name, last_name } = user;
  return {
    kind: 'standard',
    session_id: sessionId,
    key_id: userId,
    organization_id: organization.id,
    plan: organization.plan,
    workspace_id: workspaceId,
    user_id: userId,
    principal: `${workspaceId}:${userId}`,
    permissions: permissionsOf(roles.workspace, roles.organization),
    identity: {
      id: userId,
      email,
      first_name,
      last_name,
      workspace: { id: workspace.id, name: workspace.name },
      organization: { id: organization.id, name: organization.name },
      api_key: null,
    },
  };
}
