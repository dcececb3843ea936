import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ConsoleKeyCreate, ConsoleKeys, ConsoleNewKey } from '../schema/keys.ts';
import { AccountKeyParams, AccountParams } from '../schema/service-accounts.ts';
import type { ConsoleService } from '../service/console-service.ts';

/** The accounts themselves are at /v1/service-accounts; no public route gives an admin of a workspace their keys. */
export function serviceAccountRoutes(service: ConsoleService): AnyRoute[] {
  const common = { surface: 'console', permission: 'service_accounts:administer', hidden: true } as const;
  const path = '/console/api/service-accounts/:service_account_id/keys';
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operationId: 'console_service_account_keys_list',
      summary: 'The keys of a service account, oldest first',
      params: AccountParams,
      response: ConsoleKeys,
      handler: ({ scope, params }) => service.serviceAccountKeys.list(scope, params.service_account_id),
    }),
    route({
      ...common,
      method: 'POST',
      path,
      operationId: 'console_service_account_keys_create',
      summary: 'Create a key of a service account; only this response has its value',
      params: AccountParams,
      body: ConsoleKeyCreate,
      response: ConsoleNewKey,
      handler: ({ scope, params, body }) => service.serviceAccountKeys.create(scope, params.service_account_id, body),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:key_id`,
      operationId: 'console_service_account_keys_delete',
      summary: 'Revoke a key of a service account',
      status: 204,
      params: AccountKeyParams,
      handler: ({ scope, params }) =>
        service.serviceAccountKeys.revoke(scope, params.service_account_id, params.key_id),
    }),
  ];
}
