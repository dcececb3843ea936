import { type AnyRoute, renderOnce, route } from '../kit/http/index.ts';
import {
  ClientEvent,
  ListOrganizationsResponse,
  ListWorkspacesResponse,
  OrganizationsQuery,
  UserIdentity,
  WhoamiResponse,
  WorkspacesQuery,
} from './schema.ts';
import type { TenantService } from './service/tenant-service.ts';

export function tenantRoutes(tenants: TenantService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/users/me',
      operationId: 'users_api_get_identity',
      summary: 'The identity of the key: user, workspace, organization and the key itself',
      tags: ['beta.users'],
      permission: 'identity:read',
      response: UserIdentity,
      handler: ({ scope }) => renderOnce(tenants.identity(scope)),
    }),
    route({
      method: 'GET',
      path: '/v1/whoami',
      operationId: 'users_api_whoami',
      summary: 'Who calls: a user or a service account, with the organization and the workspace',
      tags: ['beta.users'],
      permission: 'identity:read',
      response: WhoamiResponse,
      handler: ({ scope }) => tenants.whoami(scope),
    }),
    route({
      method: 'POST',
      path: '/v1/datalake/events',
      operationId: 'datalake_post_event',
      summary: 'What a client reports about its own use; it is not read, stored or passed on',
      tags: ['beta.users'],
      permission: 'identity:read',
      body: ClientEvent,
      status: 204,
      handler: async () => undefined,
    }),
    route({
      method: 'GET',
      path: '/v1/users/me/organizations',
      operationId: 'users_api_list_organizations',
      summary: 'List the organizations of the user, oldest first',
      tags: ['beta.users'],
      permission: 'identity:read',
      query: OrganizationsQuery,
      response: ListOrganizationsResponse,
      handler: async ({ scope, query }) => ({ organizations: await tenants.myOrganizations(scope, query) }),
    }),
    route({
      method: 'GET',
      path: '/v1/users/me/workspaces',
      operationId: 'users_api_list_workspaces',
      summary: 'List the workspaces of the user that are not archived, oldest first',
      tags: ['beta.users'],
      permission: 'identity:read',
      query: WorkspacesQuery,
      response: ListWorkspacesResponse,
      handler: async ({ scope, query }) => ({ workspaces: await tenants.myWorkspaces(scope, query) }),
    }),
  ];
}
