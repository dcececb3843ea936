import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_ACCOUNT, CONSOLE_ADMINISTER } from '../../tenants/index.ts';
import {
  CodeGiven,
  ConsoleAccount,
  ConsoleSessions,
  ConsoleSignInRules,
  NewSecondFactor,
  OwnerProof,
  PasswordChange,
  RecoveryCodes,
  SessionParams,
  SignInRules,
} from '../schema/account.ts';
import type { ConsoleService } from '../service/console-service.ts';

/** A session that does not meet the rules of its organization still reaches these, to meet them. */
export function accountRoutes(service: ConsoleService): AnyRoute[] {
  const own = { surface: 'console', permission: CONSOLE_ACCOUNT, hidden: true } as const;
  const administrative = { ...own, permission: CONSOLE_ADMINISTER } as const;
  const factor = '/console/api/account/second-factor';
  return [
    route({
      ...own,
      method: 'GET',
      path: '/console/api/account',
      operationId: 'console_account_get',
      summary: 'How the signed-in user signs in: password, second factor, providers',
      response: ConsoleAccount,
      handler: ({ scope }) => service.account.describe(scope),
    }),
    route({
      ...own,
      method: 'POST',
      path: '/console/api/account/password',
      operationId: 'console_password_update',
      summary: 'Change the password; other sessions end',
      status: 204,
      body: PasswordChange,
      handler: (context) => service.changePassword(context.scope, context.body, context),
    }),
    route({
      ...own,
      method: 'POST',
      path: factor,
      operationId: 'console_second_factor_create',
      summary: 'A new secret for an authenticator app; it counts once its first code was sent',
      body: OwnerProof,
      response: NewSecondFactor,
      handler: (context) => service.beginSecondFactor(context.scope, context.body, context),
    }),
    route({
      ...own,
      method: 'POST',
      path: `${factor}/confirm`,
      operationId: 'console_second_factor_confirm',
      summary: 'Send the first code; only this response has the recovery codes, and other sessions end',
      body: CodeGiven,
      response: RecoveryCodes,
      handler: ({ scope, body }) => service.account.confirmSecondFactor(scope, body.code),
    }),
    route({
      ...own,
      method: 'POST',
      path: `${factor}/recovery-codes`,
      operationId: 'console_recovery_codes_create',
      summary: 'Replace the recovery codes; only this response has them',
      body: OwnerProof,
      response: RecoveryCodes,
      handler: (context) => service.renewRecoveryCodes(context.scope, context.body, context),
    }),
    route({
      ...own,
      method: 'POST',
      path: `${factor}/remove`,
      operationId: 'console_second_factor_delete',
      summary: 'Remove the second factor',
      status: 204,
      body: OwnerProof,
      handler: (context) => service.removeSecondFactor(context.scope, context.body, context),
    }),
    route({
      ...own,
      method: 'GET',
      path: '/console/api/sessions',
      operationId: 'console_sessions_list',
      summary: 'The sessions of the user, the one used last first',
      response: ConsoleSessions,
      handler: ({ scope }) => service.account.sessions(scope),
    }),
    route({
      ...own,
      method: 'DELETE',
      path: '/console/api/sessions/:session_id',
      operationId: 'console_sessions_end',
      summary: 'End one session of the user',
      status: 204,
      params: SessionParams,
      handler: ({ scope, params }) => service.account.endSession(scope, params.session_id),
    }),
    route({
      ...administrative,
      method: 'GET',
      path: '/console/api/sign-in-rules',
      operationId: 'console_sign_in_rules_get',
      summary: 'How members of the organization must have signed in',
      response: ConsoleSignInRules,
      handler: ({ scope }) => service.signInRules.get(scope),
    }),
    route({
      ...administrative,
      method: 'PUT',
      path: '/console/api/sign-in-rules',
      operationId: 'console_sign_in_rules_set',
      summary: 'Set how members of the organization must have signed in',
      body: SignInRules,
      response: ConsoleSignInRules,
      handler: ({ scope, body }) => service.signInRules.set(scope, body),
    }),
  ];
}
