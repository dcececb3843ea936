import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  AdminCreateAPIKeyIN,
  APIKeyOUT,
  APIKeysExtendedOUT,
  DeleteAPIKeyOUT,
  KeyParams,
  KeysQuery,
} from '../schema/keys.ts';
import type { AdminService } from '../service/admin-service.ts';
import { adminRouteDefaults } from './route-defaults.ts';

export function keyRoutes(admin: AdminService): AnyRoute[] {
  const common = adminRouteDefaults('api-keys');
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/api-keys',
      operationId: 'users_api_admin_api_keys_get_api_keys',
      summary: 'List the active and expired API keys of the organization, oldest first, without their values',
      query: KeysQuery,
      response: APIKeysExtendedOUT,
      handler: ({ scope, query }) => admin.keys.list(scope, query),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/api-keys',
      operationId: 'users_api_admin_api_keys_create_api_key',
      summary: 'Create an API key for a member in a workspace; only this response has its value',
      creates: true,
      // Key values are never stored, so a repeated request gets the key without its value.
      remembers: (response: APIKeyOUT) => ({ ...response, key: null }),
      body: AdminCreateAPIKeyIN,
      response: APIKeyOUT,
      handler: ({ scope, body }) => admin.keys.create(scope, body),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/admin/api-keys/:key_id',
      operationId: 'users_api_admin_api_keys_delete_api_key',
      summary: 'Revoke an API key',
      params: KeyParams,
      response: DeleteAPIKeyOUT,
      handler: ({ scope, params }) => admin.keys.remove(scope, params.key_id),
    }),
  ];
}
