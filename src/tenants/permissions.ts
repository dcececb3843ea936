/** Names as the public API has them. */
export const organizationRoles = ['member', 'billing_manager', 'organization_admin'] as const;
export type OrganizationRole = (typeof organizationRoles)[number];

export const workspaceRoles = [
  'billing',
  'user',
  'contributor',
  'dev',
  'dev_contributor',
  'mistral_code_user',
  'cloud_user',
  'workspace_contributor',
  'workspace_admin',
  'observability_viewer',
  'workflow_executor',
] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

/** What a member of a workspace has when nothing else is said: all features, no administration. */
export const MEMBER_ROLE: WorkspaceRole = 'workspace_contributor';

const everyone = workspaceRoles;
const chatters = [
  'user',
  'contributor',
  'dev',
  'dev_contributor',
  'mistral_code_user',
  'cloud_user',
  'workspace_contributor',
  'workspace_admin',
  'workflow_executor',
] as const;

const authors = [
  'user',
  'contributor',
  'dev',
  'dev_contributor',
  'mistral_code_user',
  'cloud_user',
  'workspace_contributor',
  'workspace_admin',
] as const;

/**
 * The one matrix of who may do what with a standard key: permission → workspace roles that have it. A key
 * has what its user's roles in its workspace have; an organization's admins count as admins of each workspace.
 */
const matrix = {
  'identity:read': everyone,
  'models:read': everyone,
  'models:write': ['dev', 'dev_contributor', 'workspace_contributor', 'workspace_admin'],
  'chat:write': chatters,
  'embeddings:write': chatters,
  'agents:read': chatters,
  'agents:write': authors,
  'conversations:read': chatters,
  'conversations:write': chatters,
  'mcp:use': everyone,
  'prompts:read': chatters,
  'prompts:write': authors,
  'skills:read': chatters,
  'skills:write': authors,
  'skills:administer': ['workspace_admin'],
  'moderation:write': chatters,
  'speech:write': chatters,
  'ocr:write': chatters,
  'voices:read': chatters,
  'voices:write': authors,
  'files:read': chatters,
  'files:write': chatters,
  'batch:read': chatters,
  'batch:write': chatters,
  'workflows:read': [...chatters, 'observability_viewer'],
  'workflows:execute': chatters,
  'workflows:write': authors,
  'workflows:work': [...authors, 'workflow_executor'],
} as const satisfies Record<string, readonly WorkspaceRole[]>;

export type Permission = keyof typeof matrix;

/** What an admin key may do; it opens nothing else. */
const ADMIN_PERMISSIONS: ReadonlySet<string> = new Set(['admin']);

/** What everybody who is signed in may do in the console, and what only admins of the organization may there. */
export const CONSOLE_USE = 'console';
export const CONSOLE_ADMINISTER = 'console:administer';

export const permissions = Object.keys(matrix) as Permission[];

export function permissionsOf(
  roles: readonly WorkspaceRole[],
  organizationRoles: readonly OrganizationRole[],
): ReadonlySet<string> {
  const effective: readonly WorkspaceRole[] = organizationRoles.includes('organization_admin')
    ? [...roles, 'workspace_admin']
    : roles;
  return new Set(
    permissions.filter((permission) =>
      effective.some((role) => (matrix[permission] as readonly WorkspaceRole[]).includes(role)),
    ),
  );
}

export function adminPermissions(): ReadonlySet<string> {
  return ADMIN_PERMISSIONS;
}
