import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_ACCOUNT, CONSOLE_JOIN, CONSOLE_OWNER } from '../../tenants/index.ts';
import {
  ConsoleInvitations,
  ConsoleLink,
  ConsoleSession,
  InvitationParams,
  LinkParams,
  LinkUse,
  SignIn,
} from '../schema/session.ts';
import { SignedOut } from '../schema/sign-in.ts';
import type { ConsoleService } from '../service/console-service.ts';

/** Sign-in requests carry no credentials yet, so they are only accepted from a page of the same origin. */
export function sessionRoutes(service: ConsoleService): AnyRoute[] {
  const own = { surface: 'console', permission: CONSOLE_ACCOUNT, hidden: true } as const;
  const joining = { ...own, permission: CONSOLE_JOIN } as const;
  const anonymous = { permission: 'public', sameOrigin: true, hidden: true } as const;
  return [
    route({
      ...own,
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
      ...own,
      method: 'DELETE',
      path: '/console/api/session',
      operationId: 'console_session_delete',
      summary: 'Sign out in this browser; after a sign-in with a provider, with the address to sign out there too',
      response: SignedOut,
      handler: (context) => service.signOut(context.scope, context),
    }),
    route({
      ...own,
      permission: CONSOLE_OWNER,
      method: 'DELETE',
      path: '/console/api/sessions',
      operationId: 'console_sessions_delete',
      summary: 'Sign out everywhere',
      status: 204,
      handler: (context) => service.signOutEverywhere(context.scope, context),
    }),
    route({
      ...anonymous,
      method: 'POST',
      path: '/console/api/links',
      operationId: 'console_links_mail',
      summary:
        'Mail a link that joins the sign-in with a provider, which this browser just made, to the account of its address',
      status: 204,
      handler: (context) => service.mailLink(context),
    }),
    route({
      ...anonymous,
      method: 'GET',
      path: '/console/api/links/:token',
      operationId: 'console_links_get',
      summary: 'The purpose of a one-time link or an invitation',
      params: LinkParams,
      response: ConsoleLink,
      handler: (context) => service.openLink(context.params.token, context),
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
    route({
      ...joining,
      method: 'POST',
      path: '/console/api/links/:token/accept',
      operationId: 'console_links_accept',
      summary: 'Join the organization of a link with the signed-in account',
      params: LinkParams,
      response: ConsoleSession,
      handler: (context) => service.acceptLink(context.scope, context.params.token, context),
    }),
    route({
      ...joining,
      method: 'POST',
      path: '/console/api/links/:token/decline',
      operationId: 'console_links_decline',
      summary: 'Decline the invitation of a link',
      params: LinkParams,
      status: 204,
      handler: ({ scope, params }) => service.declineLink(scope, params.token),
    }),
    route({
      ...joining,
      method: 'GET',
      path: '/console/api/invitations',
      operationId: 'console_invitations_list',
      summary: 'The organizations that invite the signed-in account, if its address is proven',
      response: ConsoleInvitations,
      handler: ({ scope }) => service.invitations(scope),
    }),
    route({
      ...joining,
      method: 'POST',
      path: '/console/api/invitations/:invitation_id/accept',
      operationId: 'console_invitations_accept',
      summary: 'Join the organization that invites',
      params: InvitationParams,
      response: ConsoleSession,
      handler: (context) => service.acceptInvitation(context.scope, context.params.invitation_id, context),
    }),
    route({
      ...joining,
      method: 'POST',
      path: '/console/api/invitations/:invitation_id/decline',
      operationId: 'console_invitations_decline',
      summary: 'Decline the invitation',
      params: InvitationParams,
      status: 204,
      handler: ({ scope, params }) => service.declineInvitation(scope, params.invitation_id),
    }),
  ];
}
