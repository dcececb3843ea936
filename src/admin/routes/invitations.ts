import { type AnyRoute, route } from '../../kit/http/index.ts';
import { InvitationAcceptedOut, InvitationAcceptIn, InvitationOut, InvitationParams } from '../schema/invitations.ts';
import type { AdminService } from '../service/admin-service.ts';

/** Public: the signed token of the link is the only credential. */
export function invitationRoutes(admin: AdminService): AnyRoute[] {
  const common = { tags: ['invitations'], permission: 'public', path: '/v1/invitations/:token' };
  return [
    route({
      ...common,
      method: 'GET',
      operationId: 'invitations_get',
      summary: 'Get the invitation of a link',
      params: InvitationParams,
      response: InvitationOut,
      alsoAnswers: [410],
      handler: ({ params }) => admin.users.openInvitation(params.token),
    }),
    route({
      ...common,
      method: 'POST',
      operationId: 'invitations_accept',
      summary: 'Accept an invitation: set name and password, and join the organization and its workspaces',
      params: InvitationParams,
      body: InvitationAcceptIn,
      response: InvitationAcceptedOut,
      alsoAnswers: [410],
      handler: ({ params, body }) => admin.users.acceptInvitation(params.token, body),
    }),
  ];
}
