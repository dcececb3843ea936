import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_ADMINISTER, CONSOLE_USE } from '../../tenants/index.ts';
import { ConsoleKeyCreate, ConsoleKeys, ConsoleNewKey, ConsoleStandardKeyCreate, KeyParams } from '../schema/keys.ts';
import type { ConsoleService } from '../service/console-service.ts';

export function keyRoutes(service: ConsoleService): AnyRoute[] {
  const own = { surface: 'console', permission: CONSOLE_USE, hidden: true } as const;
  const administrative = { ...own, permission: CONSOLE_ADMINISTER } as const;
  return [
    route({
      ...own,
      method: 'GET',
      path: '/console/api/keys',
      operationId: 'console_keys_list',
      summary: "The user's own keys in the workspace, oldest first",
      response: ConsoleKeys,
      handler: ({ scope }) => service.keys.list(scope),
    }),
    route({
      ...own,
      method: 'POST',
      path: '/console/api/keys',
      operationId: 'console_keys_create',
      summary: 'Create a key of the user in the workspace; only this response has its value',
      body: ConsoleStandardKeyCreate,
      response: ConsoleNewKey,
      handler: ({ scope, body }) => service.keys.create(scope, body),
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/console/api/keys/:key_id',
      operationId: 'console_keys_delete',
      summary: 'Revoke a key of the user in the workspace',
      status: 204,
      params: KeyParams,
      handler: ({ scope, params }) => service.keys.revoke(scope, params.key_id),
    }),
    route({
      ...administrative,
      method: 'GET',
      path: '/console/api/admin-keys',
      operationId: 'console_admin_keys_list',
      summary: 'The admin keys of the organization, oldest first',
      response: ConsoleKeys,
      handler: ({ scope }) => service.keys.listAdmin(scope),
    }),
    route({
      ...administrative,
      method: 'POST',
      path: '/console/api/admin-keys',
      operationId: 'console_admin_keys_create',
      summary: 'Create an admin key; only this response has its value',
      body: ConsoleKeyCreate,
      response: ConsoleNewKey,
      handler: ({ scope, body }) => service.keys.createAdmin(scope, body),
    }),
    route({
      ...administrative,
      method: 'DELETE',
      path: '/console/api/admin-keys/:key_id',
      operationId: 'console_admin_keys_delete',
      summary: 'Revoke an admin key',
      status: 204,
      params: KeyParams,
      handler: ({ scope, params }) => service.keys.revokeAdmin(scope, params.key_id),
    }),
  ];
}
