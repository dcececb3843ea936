import { type AnyRoute, route } from '../../kit/http/index.ts';
import { describeRoles } from '../describe-roles.ts';
import { RolesOut } from '../schema/roles.ts';
import {
  AdminOrganizationMemberOUT,
  AdminOrganizationMemberUpdate,
  AdminUserOUT,
  DeleteOUT,
  InviteParams,
  OrganizationAdminUsersOUT,
  OrganizationInviteIN,
  OrganizationInvitesCreateOUT,
  OrganizationMembersCreate,
  OrganizationUserInviteOUT,
  OrganizationUsersCreateOUT,
  UserParams,
  UsersQuery,
} from '../schema/users.ts';
import type { AdminService } from '../service/admin-service.ts';
import { adminRouteDefaults } from './route-defaults.ts';

export function userRoutes(admin: AdminService): AnyRoute[] {
  const common = adminRouteDefaults('users');
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/users',
      operationId: 'users_api_admin_users_get_users',
      summary: 'List the members of the organization, oldest first, then open invitations',
      query: UsersQuery,
      response: OrganizationAdminUsersOUT,
      handler: ({ scope, query }) => admin.users.list(scope, query),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/users',
      operationId: 'users_api_admin_users_create_users',
      summary: 'Add users to the organization without an invitation',
      creates: true,
      body: OrganizationMembersCreate,
      response: OrganizationUsersCreateOUT,
      handler: ({ scope, body }) => admin.users.create(scope, body),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/users/:user_id',
      operationId: 'users_api_admin_users_get_user',
      summary: 'Get a member of the organization',
      params: UserParams,
      response: AdminUserOUT,
      handler: ({ scope, params }) => admin.users.get(scope, params.user_id),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/v1/admin/users/:user_id',
      operationId: 'users_api_admin_users_update_user',
      summary: 'Update the roles of a member; the last admin cannot be demoted',
      params: UserParams,
      body: AdminOrganizationMemberUpdate,
      response: AdminOrganizationMemberOUT,
      handler: ({ scope, params, body }) => admin.users.update(scope, params.user_id, body),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/admin/users/:user_id',
      operationId: 'users_api_admin_users_delete_user',
      summary: 'Remove a member from the organization: their keys are revoked, their objects are kept',
      params: UserParams,
      response: DeleteOUT,
      handler: ({ scope, params }) => admin.users.remove(scope, params.user_id),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/users-invite',
      operationId: 'users_api_admin_users_get_invite',
      summary: 'List the open invitations',
      response: OrganizationUserInviteOUT.array(),
      handler: ({ scope }) => admin.users.listInvites(scope),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/users-invite',
      operationId: 'users_api_admin_users_invite_users',
      summary: 'Invite one or more addresses; without mail the response has the links',
      creates: true,
      // Links give access to the organization, so they are not stored.
      remembers: ({ invite_links: _, ...response }: OrganizationInvitesCreateOUT) => response,
      body: OrganizationInviteIN,
      response: OrganizationInvitesCreateOUT,
      handler: ({ scope, body, origin }) => admin.users.invite(scope, body, origin),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/admin/users-invite/:invite_uuid',
      operationId: 'users_api_admin_users_delete_invite',
      summary: 'Withdraw an invitation and end its link',
      params: InviteParams,
      response: DeleteOUT,
      handler: ({ scope, params }) => admin.users.removeInvite(scope, params.invite_uuid),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/roles',
      operationId: 'users_api_admin_roles_get_roles',
      summary: 'List the roles of organizations and workspaces',
      response: RolesOut,
      handler: () => describeRoles(),
    }),
  ];
}
