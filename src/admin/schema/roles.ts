import { z } from 'zod';
import {
  MEMBER_ROLE,
  type OrganizationRole,
  organizationRoles,
  type WorkspaceRole,
  workspaceRoles,
} from '../../tenants/index.ts';

/** The public description lists these ids without names; we assign them in the order of the names. */
export const ORGANIZATION_ROLE_IDS = {
  member: '0d48f530-095c-43fe-8aea-6673bcacabe6',
  billing_manager: 'c955f4e1-9477-43f0-8349-6fbc629fccc9',
  organization_admin: '7bde5959-d676-47d2-b779-35b64323d278',
} as const satisfies Record<OrganizationRole, string>;

export const WORKSPACE_ROLE_IDS = {
  billing: 'd7ea77c5-9260-41d0-ab26-52b5add3ee56',
  user: '48436751-ee56-44bd-8a2d-712233977821',
  contributor: '375cd0db-3bbe-4b79-80f3-954ccf04f3d1',
  dev: '578584f1-4319-4c88-9948-38a5184483b6',
  dev_contributor: 'd79b3027-4eb2-4521-8722-825acfee7d8b',
  mistral_code_user: '252a0825-40b9-4b98-be80-7658956f13e9',
  cloud_user: '17aa61c5-1c61-477e-a40a-e52c8ccd74b9',
  workspace_contributor: 'b23cd6e0-91cd-4a8a-9869-b30366bf3966',
  workspace_admin: '731eb2be-a74f-4070-b797-35bf7009e553',
  observability_viewer: 'ff86d432-7f27-47f8-b02f-b5c102ef6a55',
  workflow_executor: '0f9acbf6-93b5-42c7-a227-fc7652755f65',
} as const satisfies Record<WorkspaceRole, string>;

const ORGANIZATION_LETTERS = { A: 'organization_admin', M: 'member', B: 'billing_manager' } as const;
const WORKSPACE_LETTERS = { A: 'workspace_admin', M: MEMBER_ROLE } as const;

export const UserRole = z.enum(['A', 'M', 'B']).meta({ id: 'UserRole' });
export const WorkspaceLetter = z.enum(['A', 'M']).meta({ id: 'WorkspaceRole' });
export const StaticOrganizationRoles = z
  .enum(Object.values(ORGANIZATION_ROLE_IDS))
  .meta({ id: 'StaticOrganizationRoles' });
export const StaticWorkspaceRoles = z.enum(Object.values(WORKSPACE_ROLE_IDS)).meta({ id: 'StaticWorkspaceRoles' });

const OrganizationRoleRef = z.union([UserRole, StaticOrganizationRoles]);
const WorkspaceRoleRef = z.union([WorkspaceLetter, StaticWorkspaceRoles]);
const WorkspaceRoleName = z.enum(workspaceRoles);
const deprecated = { deprecated: true };
/** Far more than there are roles. */
const ROLES_MAX = 100;

/** Four equivalent forms; the singular ones are deprecated. */
export const organizationRoleFields = {
  role_names: z.array(z.enum(organizationRoles)).min(1).max(ROLES_MAX).nullish(),
  roles: z
    .union([z.array(UserRole).min(1).max(ROLES_MAX), z.array(StaticOrganizationRoles).min(1).max(ROLES_MAX)])
    .nullish(),
  role_name: z.enum(organizationRoles).nullish().meta(deprecated),
  role: OrganizationRoleRef.nullish().meta(deprecated),
};
export const workspaceRoleFields = {
  role_names: z.array(WorkspaceRoleName).min(1).max(ROLES_MAX).nullish(),
  roles: z
    .union([z.array(WorkspaceLetter).min(1).max(ROLES_MAX), z.array(StaticWorkspaceRoles).min(1).max(ROLES_MAX)])
    .nullish(),
  role_name: WorkspaceRoleName.nullish().meta(deprecated),
  role: WorkspaceRoleRef.nullish().meta(deprecated),
};
export const groupRoleFields = {
  role_names: z.array(WorkspaceRoleName).min(1).max(ROLES_MAX).nullish(),
  roles: z.array(WorkspaceRoleRef).min(1).max(ROLES_MAX).nullish(),
  role: WorkspaceRoleRef.nullish().meta(deprecated),
};
export const provisionRoleFields = {
  workspace_role: WorkspaceRoleRef.nullish(),
  workspace_role_name: WorkspaceRoleName.nullish(),
};

const FORMS = ['role_names', 'roles', 'role_name', 'role', 'workspace_role', 'workspace_role_name'] as const;
type Forms = Partial<Record<(typeof FORMS)[number], unknown>>;

/** For `.refine()`: two forms could contradict each other. */
export function hasOneRoleForm(body: Forms): boolean {
  return FORMS.filter((form) => (body[form] ?? null) !== null).length <= 1;
}
export const oneRoleForm = { error: 'give roles in one way only: role_names or roles' };

/** The roles that a body names, or else the fallback. */
export function organizationRolesIn(body: Forms, fallback: OrganizationRole[] = []): OrganizationRole[] {
  return rolesIn(body, fallback, organizationRoles, ORGANIZATION_ROLE_IDS, ORGANIZATION_LETTERS);
}

export function workspaceRolesIn(body: Forms, fallback: WorkspaceRole[] = []): WorkspaceRole[] {
  return rolesIn(body, fallback, workspaceRoles, WORKSPACE_ROLE_IDS, WORKSPACE_LETTERS);
}

export function organizationRoleOf(ref: z.infer<typeof OrganizationRoleRef>): OrganizationRole {
  return organizationRolesIn({ role: ref })[0] ?? 'member';
}

function rolesIn<R extends string>(
  body: Forms,
  fallback: R[],
  names: readonly R[],
  ids: Record<R, string>,
  letters: Record<string, R>,
): R[] {
  const given = FORMS.map((form) => body[form] ?? null).find((value) => value !== null) ?? [];
  const refs = [...new Set([given].flat() as string[])];
  const roles = refs.flatMap((ref) => letters[ref] ?? names.find((name) => name === ref || ids[name] === ref) ?? []);
  return roles.length > 0 ? roles : fallback;
}

const RoleOut = z
  .object({ name: z.string(), uuid: z.guid(), description: z.string(), is_custom_role: z.boolean() })
  .meta({ id: 'RoleOut' });
export const RolesOut = z
  .object({ workspace_roles: z.array(RoleOut), organization_roles: z.array(RoleOut) })
  .meta({ id: 'RolesOut' });
export type RolesOut = z.infer<typeof RolesOut>;

/** Responses list the role ids; the deprecated form holds the first. */
export const organizationRolesOut = {
  raw_roles: z.union([z.array(UserRole).min(1), z.array(StaticOrganizationRoles).min(1)]),
  raw_role: OrganizationRoleRef.meta(deprecated),
};
export const workspaceRolesOut = {
  raw_roles: z.union([z.array(WorkspaceLetter).min(1), z.array(StaticWorkspaceRoles).min(1)]),
  raw_role: WorkspaceRoleRef.meta(deprecated),
};
const AnyRole = z.union([WorkspaceLetter, StaticWorkspaceRoles, StaticOrganizationRoles]);
export const anyRolesOut = { raw_roles: z.array(AnyRole).min(1), raw_role: AnyRole.meta(deprecated) };

export { OrganizationRoleRef };
