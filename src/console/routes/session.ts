import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_USE } from '../../tenants/index.ts';
import { ConsoleLink, ConsoleSession, LinkParams, LinkUse, SignIn } from '../schema.ts';
import type { ConsoleService } from '../service.ts';

/** Coming and going. Who is not signed in yet has nothing to show but the page they ask from. */
export function sessionRoutes(service: ConsoleService): AnyRoute[] {
  const signedIn = { surface: 'console', permission: CONSOLE_USE, hidden: true } as const;
  const anybody = { permission: 'public', sameOrigin: true, hidden: true } as const;
  return [
    route({
      ...signedIn,
      method: 'GET',
      path: '/console/api/session',
      operationId: 'console_session_get',
      summary: 'Who is signed in, where, and what they may do there',
      response: ConsoleSession,
      handler: (context) => service.session(context.scope, context),
    }),
    route({
      ...anybody,
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
      ...anybody,
      method: 'GET',
      path: '/console/api/links/:token',
      operationId: 'console_links_get',
      summary: 'What a one-time link or an invitation is for',
      params: LinkParams,
      response: ConsoleLink,
      handler: ({ params }) => service.openLink(params.token),
    }),
    route({
      ...anybody,
      method: 'POST',
      path: '/console/api/links/:token',
      operationId: 'console_links_use',
      summary: 'Use a link up: set the password and sign in',
      params: LinkParams,
      body: LinkUse,
      response: ConsoleSession,
      handler: (context) => service.useLink(context.params.token, context.body, context),
    }),
  ];
}
