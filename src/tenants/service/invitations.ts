import type { AuditEntry, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import { type Database, loadSecret, lockFor, type Tx } from '../../kit/db/index.ts';
import { ApiError, badRequest, conflict, currentRequest, forbidden, notFound } from '../../kit/http/index.ts';
import type { By } from '../caller.ts';
import { MEMBER_ROLE, type OrganizationRole } from '../permissions.ts';
import { hashPassword, isPassword } from '../sign-in/hash-password.ts';
import { splitEmails } from '../sign-in/parse-emails.ts';
import { createInvitationLinks, type InvitationLinks } from '../sign-in/sign-invitation.ts';
import { deleteInvitation, findInvitation, insertInvitation, listInvitations } from '../store/invitations.ts';
import { belongsElsewhere, findMember, findUserByAddress, updateUser, updateWorkspaceRoles } from '../store/members.ts';
import type { InvitationRow, UserRow } from '../store/tables.ts';
import { listWorkspaceIds } from '../store/workspaces.ts';
import type { MemberService } from './members.ts';
import type { Throttle } from './throttle.ts';

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
const ADDRESSES_MAX = 1000;

/** Puts the mail of an invitation on its way, in the transaction that makes it; undefined where no mail is set up. */
export type PostInvitation = (tx: Tx, invitation: { id: string; baseUrl: string }) => Promise<void>;

export type InviteRequest = {
  /** One address or several. */
  emails: string;
  roles: readonly OrganizationRole[];
  workspaceIds: readonly string[];
  language: string | null;
  /** Where the links lead. */
  baseUrl: string;
};

export type Invited = {
  invalid: string[];
  alreadyMembers: string[];
  invitations: { id: string; email: string; expires_at: string }[];
  /** Empty when the links went by mail. */
  links: { email: string; url: string }[];
};

export type OpenInvitation = InvitationRow & { organization_name: string; hasAccount: boolean; link: string };
export type Acceptance = { first_name: string; last_name: string; password: string };

export type InvitationService = {
  /** Who is invited already gets a new link, and the old one ends. */
  invite(by: By, request: InviteRequest): Promise<Invited>;
  list(organizationId: string): Promise<InvitationRow[]>;
  revoke(by: By, id: string): Promise<InvitationRow>;
  open(token: string): Promise<OpenInvitation>;
  /** For the mail: what to write, or undefined when the invitation has been revoked or accepted meanwhile. */
  find(id: string): Promise<OpenInvitation | undefined>;
  accept(token: string, acceptance: Acceptance): Promise<{ user_id: string; email: string; organization_id: string }>;
};

export function createInvitationService(deps: {
  database: Database;
  audit: AuditService;
  members: MemberService;
  throttle: Throttle;
  post?: PostInvitation | undefined;
  now: Clock;
}): InvitationService {
  const { database, audit, members, throttle, post, now } = deps;
  let loading: Promise<InvitationLinks> | undefined;
  const links = () => (loading ??= loadSecret(database, 'invitations', now).then(createInvitationLinks));

  function record(tx: Tx, by: By, { id, email }: { id: string; email: string }, event_type: AuditEntry['event_type']) {
    const target = { target_type: 'USER', target_metadata: { invitation_id: id, email } } as const;
    return audit.record(tx, { organization_id: by.organization_id, actor: by.actor, event_type, ...target });
  }

  async function describe(id: string): Promise<OpenInvitation | undefined> {
    const row = await findInvitation(database.db, id);
    if (!row) return undefined;
    const user = await findUserByAddress(database.db, row.email);
    return { ...row, hasAccount: Boolean(user?.password_hash), link: (await links()).pathOf(row) };
  }

  async function open(token: string): Promise<OpenInvitation> {
    const signed = (await links()).read(token);
    const found = signed && (await describe(signed.id));
    // One answer for what was forged, revoked, renewed and accepted: a stranger learns nothing about who is invited.
    if (!found || found.expires_at !== signed?.expires_at) {
      throw new ApiError(
        404,
        'This invitation is not valid, or no longer. Ask an admin of the organization for a new one.',
      );
    }
    if (Date.parse(found.expires_at) <= now()) {
      throw new ApiError(410, 'This invitation has expired. Ask an admin of the organization for a new one.');
    }
    return found;
  }

  /** Which password the account has from now on; a link alone must not open an account that is more than this invitation. */
  async function settlePassword(invitation: InvitationRow, user: UserRow | undefined, password: string) {
    if (user?.password_hash) {
      // It can be guessed here as well as at the sign-in, so it is counted there.
      const address = currentRequest()?.address ?? '';
      await throttle.take(user.email, address);
      if (await isPassword(password, user.password_hash)) {
        await database.transaction((tx) => throttle.giveBack(tx, user.email, address));
        return undefined;
      }
      throw forbidden('This address has an account already, and this is not its password.');
    }
    const isTheirs = !user || invitation.delivery === 'mail';
    if (!isTheirs && (await belongsElsewhere(database.db, invitation.organization_id, user.id))) {
      throw conflict('This address has an account in another organization. Its password must be set there first.');
    }
    return hashPassword(password);
  }

  return {
    open,
    find: describe,
    list: (organizationId) => listInvitations(database.db, organizationId),
    async invite(by, { emails: given, roles, workspaceIds, language, baseUrl }) {
      const { organization_id } = by;
      const { emails, invalid } = splitEmails(given);
      if (emails.length > ADDRESSES_MAX)
        throw badRequest(`One call invites ${ADDRESSES_MAX} addresses at most, not ${emails.length}.`);
      const { pathOf } = await links();
      return database.transaction(async (tx) => {
        await lockFor(tx, database.kind, `members:${organization_id}`);
        const known = await listWorkspaceIds(tx, organization_id, workspaceIds);
        for (const id of workspaceIds) if (!known.has(id)) throw notFound('workspace', id);
        const result: Invited = { invalid, alreadyMembers: [], invitations: [], links: [] };
        for (const email of emails) {
          const user = await findUserByAddress(tx, email);
          if (user && (await findMember(tx, organization_id, user.id))) {
            result.alreadyMembers.push(email);
            continue;
          }
          const nowMs = now();
          const row: InvitationRow = {
            id: uuid(),
            organization_id,
            email,
            roles: [...roles],
            workspace_ids: [...known],
            language,
            delivery: post ? 'mail' : 'link',
            created_at: isoMicros(now),
            expires_at: new Date(nowMs + LIFETIME_MS).toISOString(),
          };
          const { id } = await insertInvitation(tx, row);
          result.invitations.push({ id, email, expires_at: row.expires_at });
          if (post) await post(tx, { id, baseUrl });
          else result.links.push({ email, url: `${baseUrl}${pathOf({ ...row, id })}` });
          await record(
            tx,
            by,
            { id, email },
            id === row.id ? 'organization.invite.send' : 'organization.invite.resend',
          );
        }
        return result;
      });
    },
    revoke: (by, id) =>
      database.transaction(async (tx) => {
        const row = await deleteInvitation(tx, by.organization_id, id);
        if (!row) throw notFound('invitation', id);
        await record(tx, by, row, 'organization.invite.revoked');
        return row;
      }),
    async accept(token, { first_name, last_name, password }) {
      const invitation = await open(token);
      const { organization_id, email } = invitation;
      const before = await findUserByAddress(database.db, email);
      const password_hash = await settlePassword(invitation, before, password);
      return database.transaction(async (tx) => {
        await lockFor(tx, database.kind, `members:${organization_id}`);
        const user = await findUserByAddress(tx, email);
        if (
          user?.password_hash !== before?.password_hash ||
          !(await deleteInvitation(tx, organization_id, invitation.id))
        )
          throw conflict('This invitation was accepted a moment ago.');
        const by = (id: string): By => ({
          organization_id,
          actor: { type: 'HUMAN', metadata: { user_uuid: id, email } },
        });
        const id = user?.id ?? uuid();
        await members.join(tx, by(id), { id, isNew: !user, email, first_name, last_name }, invitation.roles);
        if (password_hash) await updateUser(tx, id, { password_hash, first_name, last_name });
        for (const workspaceId of await listWorkspaceIds(tx, organization_id, invitation.workspace_ids))
          await updateWorkspaceRoles(tx, workspaceId, id, [MEMBER_ROLE], isoMicros(now));
        await record(tx, by(id), invitation, 'organization.invite.accepted');
        return { user_id: id, email, organization_id };
      });
    },
  };
}
