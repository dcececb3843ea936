import type { Clock } from '../../kit/base/clock.ts';
import {
  callerOf,
  formatName,
  type InvitationRow,
  type Member,
  type Scope,
  type TenantService,
} from '../../tenants/index.ts';
import { describeOrganizationRoles, describeWorkspaceRoles } from '../describe-roles.ts';
import type { InvitationAcceptIn, InvitationOut } from '../schema/invitations.ts';
import { rangeOf } from '../schema/page.ts';
import { organizationRolesIn } from '../schema/roles.ts';
import type {
  AdminOrganizationMemberOUT,
  AdminOrganizationMemberUpdate,
  OrganizationAdminUsersOUT,
  OrganizationInviteIN,
  OrganizationInvitesCreateOUT,
  OrganizationMembersCreate,
  OrganizationUserInviteOUT,
  UsersQuery,
} from '../schema/users.ts';

export function createUserAdministration({
  tenants,
  now,
  publicUrl,
}: {
  tenants: TenantService;
  now: Clock;
  publicUrl: string | undefined;
}) {
  const { members, invitations } = tenants;
  return {
    async list(scope: Scope, query: UsersQuery): Promise<OrganizationAdminUsersOUT> {
      const { page, page_size, email } = query;
      const found = await members.list(scope.organization_id, { email: email ?? undefined, ...rangeOf(query) });
      const { total } = found;
      const invites = found.invitations.map((row) => describeInvitation(row, now()));
      return { members: found.members.map(describeMember), invites, total, page, page_size };
    },
    async get(scope: Scope, userId: string) {
      const member = await members.get(scope.organization_id, userId);
      return { ...describeMember(member), first_name: member.first_name, last_name: member.last_name };
    },
    async create(scope: Scope, people: OrganizationMembersCreate) {
      const { invalid, ids } = await members.create(
        callerOf(scope),
        people.map((person) => ({ ...person, roles: organizationRolesIn(person, ['member']) })),
      );
      return { invalid_emails: invalid, email_to_user_id: Object.fromEntries(ids) };
    },
    async update(scope: Scope, userId: string, body: AdminOrganizationMemberUpdate) {
      const roles = organizationRolesIn(body);
      const member =
        roles.length > 0
          ? await members.setRoles(callerOf(scope), userId, roles)
          : await members.get(scope.organization_id, userId);
      return describeMember(member);
    },
    async remove(scope: Scope, userId: string) {
      const { email } = await members.remove(callerOf(scope), userId);
      return { message: `${email} has left the organization; their keys are revoked and their objects are kept.` };
    },
    async invite(scope: Scope, body: OrganizationInviteIN, origin: string): Promise<OrganizationInvitesCreateOUT> {
      const invited = await invitations.invite(callerOf(scope), {
        emails: body.email,
        roles: organizationRolesIn(body, ['member']),
        workspaceIds: body.workspace_uuids ?? [],
        language: body.email_language ?? null,
        baseUrl: publicUrl ?? origin,
      });
      return {
        invalid_emails: invited.invalid,
        already_members: invited.alreadyMembers,
        invited_members_count: invited.invitations.length,
        ...(invited.links.length > 0 && { invite_links: invited.links }),
      };
    },
    async listInvites(scope: Scope): Promise<OrganizationUserInviteOUT[]> {
      const rows = await invitations.list(scope.organization_id);
      return rows.map(({ id, email, roles }) => {
        const { raw_roles, raw_role } = describeOrganizationRoles(roles);
        return { invite_uuid: id, email, roles: raw_roles, role: raw_role };
      });
    },
    async removeInvite(scope: Scope, id: string) {
      const { email } = await invitations.revoke(callerOf(scope), id);
      return { message: `The invitation of ${email} is withdrawn; its link is no longer valid.` };
    },
    async openInvitation(token: string): Promise<InvitationOut> {
      const found = await invitations.open(token);
      const organization = { id: found.organization_id, name: found.organization_name };
      return { email: found.email, organization, expires_at: found.expires_at, has_account: found.hasAccount };
    },
    acceptInvitation: (token: string, body: InvitationAcceptIn) => invitations.accept(token, body),
  };
}

function describeMember(member: Member): AdminOrganizationMemberOUT {
  return {
    uuid: member.id,
    oid_id: null,
    name: formatName(member),
    email: member.email,
    workspaces: member.workspaces.map(({ id, name, is_default, roles }) => ({
      uuid: id,
      name,
      is_default,
      ...describeWorkspaceRoles(roles),
    })),
    subscriptions: [],
    ...describeOrganizationRoles(member.roles),
    created_at: member.created_at,
  };
}

function describeInvitation({ id, email, roles, workspace_ids, created_at, expires_at }: InvitationRow, nowMs: number) {
  return {
    uuid: id,
    ...describeOrganizationRoles(roles),
    email,
    expired: Date.parse(expires_at) <= nowMs,
    created_at,
    workspace_uuids: workspace_ids,
  };
}
