import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_USE } from '../../tenants/index.ts';
import { ConsoleLink, ConsoleSession, LinkParams, LinkUse, SignIn } from '../schema/session.ts';
import type { ConsoleService } from '../service/console-service.ts';

/** Sign-in requests carry no credentials yet, so they are only accepted from a page of the same origin. */
export function sessionRoutes(service: ConsoleService): AnyRoute[] {
  const signedIn = { surface: 'console', permission: CONSOLE_USE, hidden: true } as const;
  const anonymous = { permission: 'public', sameOrigin: true, hidden: true } as const;
  return [
    route({
      ...signedIn,
      method: 'GET',
      path: '/console/api/session',
      operationId: 'console_session_get',
      summary: 'The signed-in user, the workspace, and the permissions there',
      response: ConsoleSession,
      handler: (context) => service.session(context.scope, context),
    }),
    route({
      ...anonymous,
      method: 'POST',
      path: '/console/api/session',
      operationId: 'console_session_create',
      summary: 'Sign in',
      body: SignIn,
      response: ConsoleSession,
      handler: (context) => service.signIn(context.body, context),
    }),
    route({
      ...signedIn,
      method: 'DELETE',
      path: '/console/api/session',
      operationId: 'console_session_delete',
      summary: 'Sign out in this browser',
      status: 204,
      handler: (context) => service.signOut(context.scope, context),
    }),
    route({
      ...signedIn,
      method: 'DELETE',
      path: '/console/api/sessions',
      operationId: 'console_sessions_delete',
      summary: 'Sign out everywhere',
      status: 204,
      handler: (context) => service.signOutEverywhere(context.scope, context),
    }),
    route({
      ...anonymous,
      method: 'GET',
      path: '/console/api/links/:token',
      operationId: 'console_links_get',
      summary: 'The purpose of a one-time link or an invitation',
      params: LinkParams,
      response: ConsoleLink,
      handler: ({ params }) => service.openLink(params.token),
    }),
    route({
      ...anonymous,
      method: 'POST',
      path: '/console/api/links/:token',
      operationId: 'console_links_use',
      summary: 'Use a link: set the password and sign in',
      params: LinkParams,
      body: LinkUse,
      response: ConsoleSession,
      handler: (context) => service.useLink(context.params.token, context.body, context),
    }),
  ];
}
