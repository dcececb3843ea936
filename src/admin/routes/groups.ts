import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  AdminAssignUsersToGroupIn,
  AdminProvisionGroupToWorkspaceIn,
  AdminUpdateUserGroupIn,
  AdminUserGroupIn,
  AdminUserGroupMembersOut,
  AdminUserGroupOut,
  AdminUserGroupsOut,
  AssignGroupToWorkspaceIn,
  GroupMembersQuery,
  GroupParams,
  GroupsQuery,
  GroupWorkspaceAssignmentsOut,
  GroupWorkspaceParams,
  GroupWorkspacesQuery,
  NestedGroupsOut,
  SetNestedGroupsIn,
  UpdateGroupWorkspaceAssignmentIn,
  UpdateUserGroupOrganizationRoleIn,
} from '../schema/groups.ts';
import { organizationRoleOf } from '../schema/roles.ts';
import type { AdminService } from '../service/admin-service.ts';
import { adminRouteDefaults } from './route-defaults.ts';

const common = adminRouteDefaults('user-groups');

export function groupRoutes(admin: AdminService): AnyRoute[] {
  return [...ownRoutes(admin), ...memberRoutes(admin), ...assignmentRoutes(admin), ...nestingRoutes(admin)];
}

function ownRoutes(admin: AdminService): AnyRoute[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/user-groups',
      operationId: 'users_api_admin_user_groups_get_user_groups',
      summary: 'List the user groups of the organization, oldest first',
      query: GroupsQuery,
      response: AdminUserGroupsOut,
      handler: ({ scope, query }) => admin.groups.list(scope, query),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/user-groups',
      operationId: 'users_api_admin_user_groups_create_user_group',
      summary: 'Create a user group, optionally nested in others',
      creates: true,
      body: AdminUserGroupIn,
      response: AdminUserGroupOut,
      handler: ({ scope, body }) => admin.groups.create(scope, body),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/user-groups/:group_uuid',
      operationId: 'users_api_admin_user_groups_get_user_group',
      summary: 'Get a user group',
      params: GroupParams,
      response: AdminUserGroupOut,
      handler: ({ scope, params }) => admin.groups.get(scope, params.group_uuid),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/v1/admin/user-groups/:group_uuid',
      operationId: 'users_api_admin_user_groups_update_user_group',
      summary: 'Update a user group or its parent groups',
      params: GroupParams,
      body: AdminUpdateUserGroupIn,
      response: AdminUserGroupOut,
      handler: ({ scope, params, body }) => admin.groups.update(scope, params.group_uuid, body),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/admin/user-groups/:group_uuid',
      operationId: 'users_api_admin_user_groups_delete_user_group',
      summary: 'Delete a user group; its members lose the roles it gave them',
      status: 204,
      params: GroupParams,
      handler: ({ scope, params }) => admin.groups.remove(scope, params.group_uuid),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/v1/admin/user-groups/:group_uuid/organization-role',
      operationId: 'users_admin_user_groups_update_user_group_organization_role',
      summary: 'Give the members of a group a role in the organization',
      status: 204,
      params: GroupParams,
      body: UpdateUserGroupOrganizationRoleIn,
      handler: ({ scope, params, body }) =>
        admin.groups.setOrganizationRole(scope, params.group_uuid, organizationRoleOf(body.organization_role)),
    }),
  ];
}

function memberRoutes(admin: AdminService): AnyRoute[] {
  const path = '/v1/admin/user-groups/:group_uuid/members';
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operationId: 'users_api_admin_user_groups_get_user_group_members',
      summary: 'List the direct members of a group, in the order of joining',
      params: GroupParams,
      query: GroupMembersQuery,
      response: AdminUserGroupMembersOut,
      handler: ({ scope, params, query }) => admin.groups.members(scope, params.group_uuid, query),
    }),
    route({
      ...common,
      method: 'POST',
      path,
      operationId: 'users_api_admin_user_groups_assign_users_to_group',
      summary: 'Add members of the organization to a group',
      status: 204,
      params: GroupParams,
      body: AdminAssignUsersToGroupIn,
      handler: ({ scope, params, body }) => admin.groups.addMembers(scope, params.group_uuid, body.user_uuids),
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      operationId: 'users_api_admin_user_groups_remove_users_from_group',
      summary: 'Remove users from a group',
      status: 204,
      params: GroupParams,
      body: AdminAssignUsersToGroupIn,
      handler: ({ scope, params, body }) => admin.groups.removeMembers(scope, params.group_uuid, body.user_uuids),
    }),
  ];
}

function assignmentRoutes(admin: AdminService): AnyRoute[] {
  const path = '/v1/admin/user-groups/:group_uuid/workspaces';
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/user-groups/provision-workspace',
      operationId: 'users_api_admin_user_groups_provision_group_to_workspace',
      summary: 'Give a group a role in a workspace',
      status: 204,
      body: AdminProvisionGroupToWorkspaceIn,
      handler: ({ scope, body }) => admin.groups.provision(scope, body),
    }),
    route({
      ...common,
      method: 'GET',
      path,
      operationId: 'users_admin_user_groups_get_group_workspace_assignments',
      summary: 'List the workspaces in which the group has roles',
      params: GroupParams,
      query: GroupWorkspacesQuery,
      response: GroupWorkspaceAssignmentsOut,
      handler: ({ scope, params, query }) => admin.groups.workspaces(scope, params.group_uuid, query),
    }),
    route({
      ...common,
      method: 'POST',
      path,
      operationId: 'users_api_admin_user_groups_assign_group_to_workspace',
      summary: 'Give a group roles in a workspace',
      status: 201,
      params: GroupParams,
      body: AssignGroupToWorkspaceIn,
      handler: ({ scope, params, body }) => admin.groups.assign(scope, params.group_uuid, body),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: `${path}/:workspace_uuid`,
      operationId: 'users_admin_user_groups_update_group_workspace_assignment',
      summary: 'Change the roles of a group in a workspace',
      status: 204,
      params: GroupWorkspaceParams,
      body: UpdateGroupWorkspaceAssignmentIn,
      handler: ({ scope, params, body }) =>
        admin.groups.updateAssignment(scope, params.group_uuid, params.workspace_uuid, body),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:workspace_uuid`,
      operationId: 'users_admin_user_groups_remove_group_from_workspace',
      summary: 'Remove a group from a workspace',
      status: 204,
      params: GroupWorkspaceParams,
      handler: ({ scope, params }) => admin.groups.unassign(scope, params.group_uuid, params.workspace_uuid),
    }),
  ];
}

function nestingRoutes(admin: AdminService): AnyRoute[] {
  const path = '/v1/admin/user-groups/:group_uuid/nested';
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operationId: 'users_api_admin_user_groups_get_nested_groups',
      summary: 'List the groups nested in this one',
      params: GroupParams,
      response: NestedGroupsOut,
      handler: ({ scope, params }) => admin.groups.children(scope, params.group_uuid),
    }),
    route({
      ...common,
      method: 'PATCH',
      path,
      operationId: 'users_api_admin_user_groups_set_nested_groups',
      summary: 'Set the groups nested in this one; cycles are refused',
      status: 204,
      params: GroupParams,
      body: SetNestedGroupsIn,
      handler: ({ scope, params, body }) => admin.groups.setChildren(scope, params.group_uuid, body.child_group_uuids),
    }),
  ];
}
