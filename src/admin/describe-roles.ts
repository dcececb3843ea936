import { type OrganizationRole, organizationRoles, type WorkspaceRole, workspaceRoles } from '../tenants/index.ts';
import { ORGANIZATION_ROLE_IDS, type RolesOut, WORKSPACE_ROLE_IDS } from './schema/roles.ts';

const ORGANIZATION_DESCRIPTIONS: Record<OrganizationRole, string> = {
  member: 'Belongs to the organization; what they may do is up to their workspaces',
  billing_manager: 'Looks after costs and limits',
  organization_admin: 'Administers the organization and every workspace of it',
};

const WORKSPACE_DESCRIPTIONS: Record<WorkspaceRole, string> = {
  billing: 'Reads cost reports; cannot spend',
  user: 'Chats, with models, agents and conversations',
  contributor: 'Chats, and writes prompts, skills and agents',
  dev: 'Builds with the API, fine-tuned models included',
  dev_contributor: 'Builds with the API, fine-tuned models included, and shares the results',
  mistral_code_user: 'Uses the API from coding tools',
  cloud_user: 'Uses the API from deployed programs',
  workspace_contributor: 'Uses every feature of the workspace, without administering it',
  workspace_admin: 'Uses every feature of the workspace and administers it',
  observability_viewer: 'Reads dashboards; cannot spend',
  workflow_executor: 'Runs workflows and what they call',
};

export function describeRoles(): RolesOut {
  return {
    workspace_roles: workspaceRoles.map((name) => ({
      name,
      uuid: WORKSPACE_ROLE_IDS[name],
      description: WORKSPACE_DESCRIPTIONS[name],
      is_custom_role: false,
    })),
    organization_roles: organizationRoles.map((name) => ({
      name,
      uuid: ORGANIZATION_ROLE_IDS[name],
      description: ORGANIZATION_DESCRIPTIONS[name],
      is_custom_role: false,
    })),
  };
}

/** Members always have a role; the fallback satisfies the type. */
export function describeOrganizationRoles(roles: readonly OrganizationRole[]) {
  const raw_roles = roles.map((role) => ORGANIZATION_ROLE_IDS[role]);
  return { raw_roles, raw_role: raw_roles[0] ?? ORGANIZATION_ROLE_IDS.member };
}

export function describeWorkspaceRoles(roles: readonly WorkspaceRole[]) {
  const raw_roles = roles.map((role) => WORKSPACE_ROLE_IDS[role]);
  return { raw_roles, raw_role: raw_roles[0] ?? WORKSPACE_ROLE_IDS.user };
}
