import type { AuditEntry } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { loadSecret, lockFor, type Tx } from '../../kit/db/index.ts';
import { currentRequest } from '../../kit/http/index.ts';
import type { Caller } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { MEMBER_ROLE, type OrganizationRole } from '../schema.ts';
import { hashPassword, isPassword } from '../sign-in/hash-password.ts';
import { parseEmails } from '../sign-in/parse-emails.ts';
import { createInvitationLinks, type InvitationLinks } from '../sign-in/sign-invitation.ts';
import { deleteInvitation, findInvitation, insertInvitation, listInvitations } from '../store/invitations.ts';
import { belongsElsewhere, findMember, findUserByAddress, updateUser, updateWorkspaceRoles } from '../store/members.ts';
import type { InvitationRow, UserRow } from '../store/tables.ts';
import { listWorkspaceIds } from '../store/workspaces.ts';
import type { MemberService } from './members.ts';
import type { TenantPorts } from './ports.ts';
import type { Throttle } from './throttle.ts';

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
export type Acceptance = { first_name: string; last_name: string; password: string };

export type InvitationService = {
  /** An address that is already invited gets a new link, and its old link ends. */
  invite(caller: Caller, request: InviteRequest): Promise<Invited>;
  list(organizationId: string): Promise<InvitationRow[]>;
  revoke(caller: Caller, id: string): Promise<InvitationRow>;
  open(token: string): Promise<OpenInvitation>;
  /** Undefined when the invitation has been revoked or accepted. */
  find(id: string): Promise<OpenInvitation | undefined>;
  accept(token: string, acceptance: Acceptance): Promise<{ user_id: string; email: string; organization_id: string }>;
};

export function createInvitationService(
  deps: Omit<TenantPorts, 'keysSignal'> & {
    members: MemberService;
    throttle: Throttle;
    post?: PostInvitation | undefined;
  },
): InvitationService {
  const { database, audit, members, throttle, post, now } = deps;
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

  /** The new password hash of the account, if it changes. A link alone must not take over an existing account. */
  async function checkPassword(invitation: InvitationRow, user: UserRow | undefined, password: string) {
    if (user?.password_hash) {
      // Passwords could be guessed here as well as at the sign-in, so both share one throttle.
      const address = currentRequest()?.address ?? '';
      await throttle.take(user.email, address);
      if (!(await isPassword(password, user.password_hash))) throw tenantErrors.invitation_password_wrong();
      await database.transaction((tx) => throttle.giveBack(tx, user.email, address));
      return undefined;
    }
    const ownsAddress = !user || invitation.delivery === 'mail';
    if (!ownsAddress && (await belongsElsewhere(database.db, invitation.organization_id, user.id)))
      throw tenantErrors.account_in_other_organization();
    return hashPassword(password);
  }

  return {
    open,
    find,
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
          const user = await findUserByAddress(tx, email);
          if (user && (await findMember(tx, organization_id, user.id))) {
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
    async accept(token, { first_name, last_name, password }) {
      const invitation = await open(token);
      const { organization_id, email } = invitation;
      const before = await findUserByAddress(database.db, email);
      const password_hash = await checkPassword(invitation, before, password);
      return database.transaction(async (tx) => {
        await lockFor(tx, database.kind, `members:${organization_id}`);
        const user = await findUserByAddress(tx, email);
        const isChanged = user?.password_hash !== before?.password_hash;
        if (isChanged || !(await deleteInvitation(tx, organization_id, invitation.id)))
          throw tenantErrors.invitation_accepted();
        const id = user?.id ?? uuid();
        const caller: Caller = { organization_id, actor: { type: 'HUMAN', metadata: { user_uuid: id, email } } };
        await members.join(tx, caller, { id, isNew: !user, email, first_name, last_name }, invitation.roles);
        if (password_hash) await updateUser(tx, id, { password_hash, first_name, last_name });
        for (const workspaceId of await listWorkspaceIds(tx, organization_id, invitation.workspace_ids))
          await updateWorkspaceRoles(tx, workspaceId, id, [MEMBER_ROLE], isoMicros(now));
        await record(tx, caller, invitation, 'organization.invite.accepted');
        return { user_id: id, email, organization_id };
      });
    },
  };
}
