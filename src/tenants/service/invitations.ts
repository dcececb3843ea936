import type { AuditEntry } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Db, loadSecret, lockFor, type Tx } from '../../kit/db/index.ts';
import { type Caller, humanActor } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { lockAccounts } from '../place-person.ts';
import { MEMBER_ROLE, type OrganizationRole } from '../schema.ts';
import { hashPassword } from '../sign-in/hash-password.ts';
import { parseEmails } from '../sign-in/parse-emails.ts';
import { createInvitationLinks, type InvitationLinks } from '../sign-in/sign-invitation.ts';
import { belongsElsewhere, findMemberByAddress, findUserByAddress, insertUser, updateUser } from '../store/accounts.ts';
import {
  deleteInvitation,
  findInvitation,
  findInvitationOf,
  insertInvitation,
  listInvitations,
} from '../store/invitations.ts';
import { updateWorkspaceRoles } from '../store/members.ts';
import type { InvitationRow, UserRow } from '../store/tables.ts';
import { listWorkspaceIds } from '../store/workspaces.ts';
import type { MemberService } from './members.ts';
import type { TenantPorts } from './ports.ts';
import type { VerifyOwner } from './verify-owner.ts';

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
const ADDRESSES_MAX = 1000;

/** Queues the mail of an invitation, in the transaction that creates it. */
export type PostInvitation = (tx: Tx, invitation: { id: string; baseUrl: string }) => Promise<void>;

export type InviteRequest = {
  /** One address or several. */
  emails: string;
  roles: readonly OrganizationRole[];
  workspaceIds: readonly string[];
  language: string | null;
  /** Base URL of the links. */
  baseUrl: string;
};

export type Invited = {
  invalid: string[];
  alreadyMembers: string[];
  invitations: { id: string; email: string; expires_at: string }[];
  /** Empty when the links were mailed. */
  links: { email: string; url: string }[];
};

export type OpenInvitation = InvitationRow & { organization_name: string; hasAccount: boolean; link: string };
export type Accepted = { user_id: string; email: string; organization_id: string };
export type Acceptance = { first_name: string; last_name: string; password: string };

export type InvitationService = {
  /** An address that is already invited gets a new link, and its old link ends. */
  invite(caller: Caller, request: InviteRequest): Promise<Invited>;
  list(organizationId: string): Promise<InvitationRow[]>;
  revoke(caller: Caller, id: string): Promise<InvitationRow>;
  open(token: string): Promise<OpenInvitation>;
  /** Undefined when the invitation has been revoked or accepted. */
  find(id: string): Promise<OpenInvitation | undefined>;
  /** With the password of the account if the address has one, else with a new one. */
  accept(token: string, acceptance: Acceptance): Promise<Accepted>;
  /** The account of the address joins; the caller has checked that its owner wants that. */
  join(invitation: InvitationRow, account: UserRow): Promise<Accepted>;
  /** As part of a sign-in with a provider: accepts the open invitation of the organization. False without one. */
  acceptFor(tx: Tx, organizationId: string, person: { id: string; email: string; isNew: boolean }): Promise<boolean>;
  /** The invited person says no. */
  decline(invitation: InvitationRow, account: UserRow): Promise<void>;
};

export function createInvitationService(
  deps: Omit<TenantPorts, 'keysSignal'> & {
    members: MemberService;
    verifyOwner: VerifyOwner;
    post?: PostInvitation | undefined;
  },
): InvitationService {
  const { database, audit, members, verifyOwner, post, now } = deps;
  let loading: Promise<InvitationLinks> | undefined;
  const links = () => (loading ??= loadSecret(database, 'invitations', now).then(createInvitationLinks));

  function record(tx: Tx, caller: Caller, { id, email }: InvitationRow, event_type: AuditEntry['event_type']) {
    const target = { target_type: 'USER', target_metadata: { invitation_id: id, email } } as const;
    return audit.record(tx, { ...caller, event_type, ...target });
  }

  async function find(id: string): Promise<OpenInvitation | undefined> {
    const row = await findInvitation(database.db, id);
    if (!row) return undefined;
    const user = await findUserByAddress(database.db, row.email);
    return { ...row, hasAccount: Boolean(user?.password_hash), link: (await links()).pathOf(row) };
  }

  async function open(token: string): Promise<OpenInvitation> {
    const signed = (await links()).parse(token);
    const found = signed && (await find(signed.id));
    // The same error for a forged, revoked, renewed or accepted invitation: strangers must not learn who is invited.
    if (!found || found.expires_at !== signed?.expires_at) throw tenantErrors.invitation_invalid();
    if (Date.parse(found.expires_at) <= now()) throw tenantErrors.invitation_expired();
    return found;
  }

  /** Setting a first password needs more than a link that an admin has seen, if another organization has the user. */
  async function refuseForeign(db: Db, invitation: InvitationRow, user: UserRow): Promise<void> {
    const ownsAddress = invitation.delivery === 'mail';
    if (!ownsAddress && (await belongsElsewhere(db, invitation.organization_id, user.id)))
      throw tenantErrors.account_in_other_organization();
  }

  function change<T>(organizationId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.transaction(async (tx) => {
      await lockFor(tx, database.kind, `members:${organizationId}`);
      return work(tx);
    });
  }

  async function admit(tx: Tx, invitation: InvitationRow, id: string, isNew: boolean): Promise<Accepted> {
    const { organization_id, email, roles, workspace_ids } = invitation;
    if (!(await deleteInvitation(tx, organization_id, invitation.id))) throw tenantErrors.invitation_accepted();
    const caller = { organization_id, actor: humanActor({ id, email }) };
    await members.join(tx, caller, { id, isNew, email }, roles);
    for (const workspaceId of await listWorkspaceIds(tx, organization_id, workspace_ids))
      await updateWorkspaceRoles(tx, workspaceId, id, [MEMBER_ROLE], isoMicros(now));
    await record(tx, caller, invitation, 'organization.invite.accepted');
    return { user_id: id, email, organization_id };
  }

  /** By somebody who has the link: one that was mailed proves the address. */
  async function admitByLink(tx: Tx, invitation: InvitationRow, id: string, isNew: boolean): Promise<Accepted> {
    const accepted = await admit(tx, invitation, id, isNew);
    if (invitation.delivery === 'mail') await updateUser(tx, id, { email_proven_at: isoMicros(now) });
    return accepted;
  }

  const join = (invitation: InvitationRow, { id }: UserRow) =>
    change(invitation.organization_id, (tx) => admitByLink(tx, invitation, id, false));

  return {
    open,
    find,
    join,
    async acceptFor(tx, organizationId, { id, email, isNew }) {
      const invitation = await findInvitationOf(tx, organizationId, email);
      if (!invitation || Date.parse(invitation.expires_at) <= now()) return false;
      await admit(tx, invitation, id, isNew);
      return true;
    },
    list: (organizationId) => listInvitations(database.db, organizationId),
    async invite(caller, { emails: given, roles, workspaceIds, language, baseUrl }) {
      const { organization_id } = caller;
      const { emails, invalid } = parseEmails(given);
      if (emails.length > ADDRESSES_MAX) throw tenantErrors.too_many_addresses(ADDRESSES_MAX, emails.length);
      const { pathOf } = await links();
      return database.transaction(async (tx) => {
        await lockFor(tx, database.kind, `members:${organization_id}`);
        const known = await listWorkspaceIds(tx, organization_id, workspaceIds);
        for (const id of workspaceIds) if (!known.has(id)) throw tenantErrors.workspace_not_found(id);
        const result: Invited = { invalid, alreadyMembers: [], invitations: [], links: [] };
        for (const email of emails) {
          if (await findMemberByAddress(tx, organization_id, email)) {
            result.alreadyMembers.push(email);
            continue;
          }
          const fresh: InvitationRow = {
            id: uuid(),
            organization_id,
            email,
            roles: [...roles],
            workspace_ids: [...known],
            language,
            delivery: post ? 'mail' : 'link',
            created_at: isoMicros(now),
            expires_at: new Date(now() + LIFETIME_MS).toISOString(),
          };
          const { id } = await insertInvitation(tx, fresh);
          const row = { ...fresh, id };
          result.invitations.push({ id, email, expires_at: row.expires_at });
          if (post) await post(tx, { id, baseUrl });
          else result.links.push({ email, url: `${baseUrl}${pathOf(row)}` });
          await record(tx, caller, row, id === fresh.id ? 'organization.invite.send' : 'organization.invite.resend');
        }
        return result;
      });
    },
    revoke: (caller, id) =>
      database.transaction(async (tx) => {
        const row = await deleteInvitation(tx, caller.organization_id, id);
        if (!row) throw tenantErrors.invitation_not_found(id);
        await record(tx, caller, row, 'organization.invite.revoked');
        return row;
      }),
    decline: ({ organization_id, id }, account) =>
      database.transaction(async (tx) => {
        const row = await deleteInvitation(tx, organization_id, id);
        if (!row) throw tenantErrors.invitation_not_found(id);
        await record(tx, { organization_id, actor: humanActor(account) }, row, 'organization.invite.revoked');
      }),
    async accept(token, { first_name, last_name, password }) {
      const invitation = await open(token);
      const { organization_id, email } = invitation;
      const before = await findUserByAddress(database.db, email);
      if (before?.password_hash) {
        await verifyOwner(before, password);
        return join(invitation, before);
      }
      if (before) await refuseForeign(database.db, invitation, before);
      const password_hash = await hashPassword(password);
      return change(organization_id, async (tx) => {
        await lockAccounts(tx, database.kind);
        const user = await findUserByAddress(tx, email);
        if (user?.password_hash) throw tenantErrors.invitation_accepted();
        if (user) await refuseForeign(tx, invitation, user);
        const row = { id: user?.id ?? uuid(), email, first_name, last_name, password_hash };
        if (user) await updateUser(tx, user.id, { first_name, last_name, password_hash });
        else if (!(await insertUser(tx, { ...row, created_at: isoMicros(now) })))
          throw tenantErrors.invitation_accepted();
        return admitByLink(tx, invitation, row.id, !user);
      });
    },
  };
}
