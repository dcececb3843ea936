import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_OWNER } from '../../tenants/index.ts';
import { OwnerProof } from '../schema/account.ts';
import { CallbackQuery, ConsoleProviders, ProviderAddress, ProviderParams, ProviderStart } from '../schema/sign-in.ts';
import type { ConsoleService } from '../service/console-service.ts';

/** Sign-in with the accounts of providers. */
export function signInRoutes(service: ConsoleService): AnyRoute[] {
  const anonymous = { permission: 'public', hidden: true } as const;
  const own = { surface: 'console', permission: CONSOLE_OWNER, hidden: true } as const;
  return [
    route({
      ...anonymous,
      sameOrigin: true,
      method: 'GET',
      path: '/console/api/sign-in',
      operationId: 'console_providers_list',
      summary: 'The providers with which people sign in',
      response: ConsoleProviders,
      handler: () => service.providers(),
    }),
    route({
      ...anonymous,
      sameOrigin: true,
      method: 'POST',
      path: '/console/api/sign-in/:provider',
      operationId: 'console_providers_start',
      summary: 'Begin a sign-in with a provider: the address of its page',
      params: ProviderParams,
      body: ProviderStart,
      response: ProviderAddress,
      handler: (context) => service.startSignIn(context.params.provider, context.body, context),
    }),
    route({
      ...anonymous,
      method: 'GET',
      path: '/console/api/sign-in/:provider/callback',
      operationId: 'console_providers_callback',
      summary: 'Where a provider sends the browser back; ends at a page of the console',
      params: ProviderParams,
      query: CallbackQuery,
      handler: (context) => service.finishSignIn(context.params.provider, context.query, context),
    }),
    route({
      ...anonymous,
      method: 'POST',
      path: '/console/api/sign-in/:provider/logout',
      operationId: 'console_providers_logout',
      summary: 'Where a provider says that a session of its own has ended (back-channel logout)',
      rawBody: ['application/x-www-form-urlencoded'],
      params: ProviderParams,
      handler: (context) => service.endByProvider(context.params.provider, context.body, context),
    }),
    route({
      ...own,
      method: 'POST',
      path: '/console/api/account/identities/:provider',
      operationId: 'console_identities_create',
      summary: 'Begin to join a provider to the account: the address of its page',
      params: ProviderParams,
      body: OwnerProof,
      response: ProviderAddress,
      handler: (context) => service.joinProvider(context.scope, context.params.provider, context.body, context),
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/console/api/account/identities/:provider',
      operationId: 'console_identities_delete',
      summary: 'Take a provider off the account',
      status: 204,
      params: ProviderParams,
      handler: ({ scope, params }) => service.account.leaveProvider(scope, params.provider),
    }),
  ];
}
