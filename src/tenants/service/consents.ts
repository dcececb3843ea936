import type { Scope } from '../../kit/http/index.ts';
import { humanActor } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { isInvitationToken } from '../sign-in/sign-invitation.ts';
import { findUser, listPendingMemberships } from '../store/accounts.ts';
import { listInvitationsOfAddress } from '../store/invitations.ts';
import type { UserRow } from '../store/tables.ts';
import type { InvitationService, OpenInvitation } from './invitations.ts';
import type { MemberService } from './members.ts';
import type { TenantPorts } from './ports.ts';
import type { LinkService, OpenLink } from './sign-in-links.ts';

/** An organization that wants the signed-in account as a member. */
export type PendingConsent = { id: string; organization: { id: string; name: string } };

export type ConsentService = {
  /** Empty unless the address is proven: an account made with somebody else's address must not see who invites it. */
  list(scope: Scope): Promise<PendingConsent[]>;
  /** By the id of the list. */
  accept(scope: Scope, id: string): Promise<void>;
  decline(scope: Scope, id: string): Promise<undefined>;
  /** By the link of an invitation, or of a member who has not accepted yet. */
  acceptLink(scope: Scope, token: string): Promise<void>;
  declineLink(scope: Scope, token: string): Promise<undefined>;
};

type Wanted =
  | { kind: 'invitation'; invitation: OpenInvitation }
  | { kind: 'link'; link: OpenLink }
  | { kind: 'membership'; id: string; organizationId: string };

/** How the owner of an account says yes or no to another organization, while signed in. */
export function createConsentService(
  deps: Omit<TenantPorts, 'keysSignal' | 'audit'> & {
    members: MemberService;
    links: LinkService;
    invitations: InvitationService;
  },
): ConsentService {
  const { database, members, links, invitations, now } = deps;

  async function ownerOf({ user_id }: Scope): Promise<UserRow> {
    const account = await findUser(database.db, user_id);
    if (!account) throw tenantErrors.user_not_found(user_id);
    return account;
  }

  async function openLink(account: UserRow, token: string): Promise<Wanted> {
    if (isInvitationToken(token)) {
      const invitation = await invitations.open(token);
      if (!isSameAddress(invitation.email, account)) throw tenantErrors.invitation_for_another_account();
      return { kind: 'invitation', invitation };
    }
    const link = await links.open(token);
    if (link.account?.id !== account.id) throw tenantErrors.invitation_for_another_account();
    return { kind: 'link', link };
  }

  async function listWanted(account: UserRow) {
    if (!account.email_proven_at) return { open: [], memberships: [] };
    const rows = await listInvitationsOfAddress(database.db, account.email.toLowerCase());
    return {
      open: rows.filter(({ expires_at }) => Date.parse(expires_at) > now()),
      memberships: await listPendingMemberships(database.db, account.email),
    };
  }

  async function findWanted(account: UserRow, id: string): Promise<Wanted> {
    const { open, memberships } = await listWanted(account);
    const invitation = open.some((one) => one.id === id) ? await invitations.find(id) : undefined;
    if (invitation) return { kind: 'invitation', invitation };
    const membership = memberships.find((one) => one.id === id);
    if (membership) return { kind: 'membership', id, organizationId: membership.organization_id };
    throw tenantErrors.invitation_not_found(id);
  }

  async function accept(account: UserRow, wanted: Wanted): Promise<void> {
    if (wanted.kind === 'invitation') await invitations.join(wanted.invitation, account);
    else
      await database.transaction((tx) =>
        wanted.kind === 'link'
          ? links.claim(tx, wanted.link, account)
          : members.claim(tx, callerOf(wanted.organizationId, account), wanted.id, account),
      );
  }

  async function decline(account: UserRow, wanted: Wanted): Promise<undefined> {
    if (wanted.kind === 'invitation') return void (await invitations.decline(wanted.invitation, account));
    const [id, organizationId] =
      wanted.kind === 'link'
        ? [wanted.link.user_id, wanted.link.organization?.id ?? '']
        : [wanted.id, wanted.organizationId];
    await members.remove(callerOf(organizationId, account), id);
  }

  return {
    async list(scope) {
      const { open, memberships } = await listWanted(await ownerOf(scope));
      return [...open, ...memberships].map(({ id, organization_id, organization_name }) => ({
        id,
        organization: { id: organization_id, name: organization_name },
      }));
    },
    async accept(scope, id) {
      const account = await ownerOf(scope);
      await accept(account, await findWanted(account, id));
    },
    async decline(scope, id) {
      const account = await ownerOf(scope);
      return decline(account, await findWanted(account, id));
    },
    async acceptLink(scope, token) {
      const account = await ownerOf(scope);
      await accept(account, await openLink(account, token));
    },
    async declineLink(scope, token) {
      const account = await ownerOf(scope);
      return decline(account, await openLink(account, token));
    },
  };
}

function isSameAddress(email: string, account: UserRow): boolean {
  return email.toLowerCase() === account.email.toLowerCase();
}

function callerOf(organization_id: string, account: UserRow) {
  return { organization_id, actor: humanActor(account) };
}
