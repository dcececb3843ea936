import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';
import { Id, page, pageOfGroups } from './page.ts';
import { groupRoleFields, hasOneRoleForm, OrganizationRoleRef, oneRoleForm, provisionRoleFields } from './roles.ts';

const LIST_MAX = 1000;
const TargetKind = z.enum(['W', 'O']).meta({ id: 'UserGroupTargetType' });

export const GroupsQuery = z.strictObject({ ...pageOfGroups, search: z.string().max(255).nullish() });
export type GroupsQuery = z.infer<typeof GroupsQuery>;
export const GroupMembersQuery = z.strictObject({
  page: queryInt().min(1).max(1_000_000).default(1),
  page_size: queryInt().min(1).max(LIST_MAX).default(25),
});
export const GroupWorkspacesQuery = z.strictObject({ page: page.page, page_size: pageOfGroups.page_size });
export const GroupParams = z.strictObject({ group_uuid: Id });
export const GroupWorkspaceParams = z.strictObject({ group_uuid: Id, workspace_uuid: Id });

export const AdminUserGroupIn = z
  .strictObject({
    name: z.string().max(255),
    description: z.string().max(255).nullish(),
    target_type: TargetKind.nullish(),
    parent_group_ids: z.array(Id).max(LIST_MAX).optional(),
  })
  .meta({ id: 'AdminUserGroupIn' });
export type AdminUserGroupIn = z.infer<typeof AdminUserGroupIn>;

export const AdminUpdateUserGroupIn = z
  .strictObject({
    name: z.string().max(255).nullish(),
    description: z.string().max(255).nullish(),
    target_type: TargetKind.nullish(),
    parent_group_ids: z.array(Id).max(LIST_MAX).nullish(),
  })
  .meta({ id: 'AdminUpdateUserGroupIn' });
export type AdminUpdateUserGroupIn = z.infer<typeof AdminUpdateUserGroupIn>;

export const AdminUserGroupOut = z
  .object({
    uuid: z.guid(),
    name: z.string().max(255),
    description: z.string().max(255).nullable(),
    externally_managed: z.boolean().nullish(),
    target_type: TargetKind.nullish(),
    organization_role: z.string().nullish(),
    parent_group_ids: z.array(z.guid()).optional(),
  })
  .meta({ id: 'AdminUserGroupOut' });
export type AdminUserGroupOut = z.infer<typeof AdminUserGroupOut>;

const pageOut = { total: z.int(), page: z.int(), page_size: z.int() };
export const AdminUserGroupsOut = z
  .object({ ...pageOut, items: z.array(AdminUserGroupOut) })
  .meta({ id: 'AdminUserGroupsOut' });

const AdminUserGroupMemberOut = z
  .object({ user_uuid: z.guid(), name: z.string().nullable(), email: z.string().nullable() })
  .meta({ id: 'AdminUserGroupMemberOut' });
export const AdminUserGroupMembersOut = z
  .object({ ...pageOut, members: z.array(AdminUserGroupMemberOut) })
  .meta({ id: 'AdminUserGroupMembersOut' });
export const AdminAssignUsersToGroupIn = z
  .strictObject({ user_uuids: z.array(Id).max(LIST_MAX) })
  .meta({ id: 'AdminAssignUsersToGroupIn' });

const GroupWorkspaceAssignmentOut = z
  .object({
    roles: z.array(z.object({ name: z.string(), uuid: z.guid() }).meta({ id: 'WorkspaceRoleRef' })),
    role_uuid: z.guid().nullish(),
    role_name: z.string().nullish(),
    workspace_uuid: z.guid(),
    workspace_name: z.string(),
    created: z.iso.datetime(),
  })
  .meta({ id: 'GroupWorkspaceAssignmentOut' });
export const GroupWorkspaceAssignmentsOut = z
  .object({ ...pageOut, items: z.array(GroupWorkspaceAssignmentOut) })
  .meta({ id: 'GroupWorkspaceAssignmentsOut' });

export const AssignGroupToWorkspaceIn = z
  .strictObject({ ...groupRoleFields, workspace_uuid: Id })
  .refine(hasOneRoleForm, oneRoleForm)
  .meta({ id: 'AssignGroupToWorkspaceIn' });
export type AssignGroupToWorkspaceIn = z.infer<typeof AssignGroupToWorkspaceIn>;
export const UpdateGroupWorkspaceAssignmentIn = z
  .strictObject(groupRoleFields)
  .refine(hasOneRoleForm, oneRoleForm)
  .meta({ id: 'UpdateGroupWorkspaceAssignmentIn' });
export type UpdateGroupWorkspaceAssignmentIn = z.infer<typeof UpdateGroupWorkspaceAssignmentIn>;
export const AdminProvisionGroupToWorkspaceIn = z
  .strictObject({ user_group_uuid: Id, workspace_uuid: Id, ...provisionRoleFields })
  .refine(hasOneRoleForm, oneRoleForm)
  .meta({ id: 'AdminProvisionGroupToWorkspaceIn' });
export type AdminProvisionGroupToWorkspaceIn = z.infer<typeof AdminProvisionGroupToWorkspaceIn>;

export const UpdateUserGroupOrganizationRoleIn = z
  .strictObject({ organization_role: OrganizationRoleRef })
  .meta({ id: 'UpdateUserGroupOrganizationRoleIn' });

const NestedGroupRef = z.object({ uuid: z.guid(), name: z.string() }).meta({ id: 'NestedGroupRef' });
export const NestedGroupsOut = z.object({ children: z.array(NestedGroupRef) }).meta({ id: 'NestedGroupsOut' });
export const SetNestedGroupsIn = z
  .strictObject({ child_group_uuids: z.array(Id).max(LIST_MAX) })
  .meta({ id: 'SetNestedGroupsIn' });
