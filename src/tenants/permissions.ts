import { type OrganizationRole, type Plan, type WorkspaceRole, workspaceRoles } from './schema.ts';

const everyone = workspaceRoles;
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
const chatters = [...authors, 'workflow_executor'] as const;

export const IDENTITY_READ = 'identity:read';

/**
 * The permission matrix of standard keys: permission → workspace roles that have it. A key has the permissions of its
 * user's roles in its workspace; an organization's admins count as admins of each workspace.
 */
const matrix = {
  [IDENTITY_READ]: everyone,
  'service_accounts:administer': ['workspace_admin'],
  'models:read': everyone,
  'models:write': ['dev', 'dev_contributor', 'workspace_contributor', 'workspace_admin'],
  'chat:write': chatters,
  'embeddings:write': chatters,
  'agents:read': chatters,
  'agents:write': authors,
  'conversations:read': chatters,
  'conversations:write': chatters,
  'mcp:use': everyone,
  'connectors:use': chatters,
  'connectors:write': authors,
  'connectors:administer': ['workspace_admin'],
  'prompts:read': chatters,
  'prompts:write': authors,
  'prompts:administer': ['workspace_admin'],
  'skills:read': chatters,
  'skills:write': authors,
  'skills:administer': ['workspace_admin'],
  'moderation:write': chatters,
  'classifications:write': chatters,
  'speech:write': chatters,
  'ocr:write': chatters,
  'transcriptions:write': chatters,
  'voices:read': chatters,
  'voices:write': authors,
  'files:read': chatters,
  'files:write': chatters,
  'libraries:read': chatters,
  'libraries:write': authors,
  'batch:read': chatters,
  'batch:write': chatters,
  'search:read': chatters,
  'search:write': authors,
  'workflows:read': [...chatters, 'observability_viewer'],
  'workflows:execute': chatters,
  'workflows:write': authors,
  'workflows:work': chatters,
  'webhooks:read': authors,
  'webhooks:write': authors,
  'notifications:read': ['dev', 'dev_contributor', 'workspace_contributor', 'workspace_admin'],
  'notifications:write': ['dev', 'dev_contributor', 'workspace_contributor', 'workspace_admin'],
  'observability:read': ['observability_viewer', 'dev', 'dev_contributor', 'workspace_contributor', 'workspace_admin'],
  'observability:write': chatters,
  'observability:administer': ['workspace_admin'],
  'datasets:read': [...authors, 'observability_viewer'],
  'datasets:write': authors,
  'evaluations:read': [...authors, 'observability_viewer'],
  'evaluations:write': authors,
  'judges:read': [...authors, 'observability_viewer'],
  'judges:write': authors,
  'judges:use': authors,
} as const satisfies Record<string, readonly WorkspaceRole[]>;

export type Permission = keyof typeof matrix;

export const permissions = Object.keys(matrix) as Permission[];

/** Of an organization's admins, whichever workspace their key is for. */
export const ORGANIZATION_ADMINISTER = 'organization:administer';

/** An admin key has this permission and no other. */
export const ADMIN_PERMISSIONS: ReadonlySet<string> = new Set(['admin']);

/**
 * Console permissions: of every session, to see its own account; of one that speaks for the account, to change it; of one
 * that meets the sign-in rules of the organization; of such a one without a provider, to join others; and of admins only.
 */
export const CONSOLE_ACCOUNT = 'console:account';
export const CONSOLE_OWNER = 'console:owner';
export const CONSOLE_USE = 'console';
export const CONSOLE_JOIN = 'console:join';
export const CONSOLE_ADMINISTER = 'console:administer';

export function isAdmin(organizationRoles: readonly OrganizationRole[]): boolean {
  return organizationRoles.includes('organization_admin');
}

export function permissionsOf(
  roles: readonly WorkspaceRole[],
  organizationRoles: readonly OrganizationRole[],
): ReadonlySet<string> {
  const admin = isAdmin(organizationRoles);
  const effective = admin ? [...roles, 'workspace_admin'] : roles;
  const held: string[] = permissions.filter((permission) =>
    effective.some((role) => (matrix[permission] as readonly string[]).includes(role)),
  );
  return new Set(admin ? [...held, ORGANIZATION_ADMINISTER] : held);
}

/** Why an organization on this plan may not use the administrative API; undefined when it may. */
export function planRefusal(plan: Plan): string | undefined {
  if (plan === 'enterprise') return undefined;
  return `The administrative API is for organizations on the enterprise plan, and this one is on the plan '${plan}'. Ask the operator to change it.`;
}
