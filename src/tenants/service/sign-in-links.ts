import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { type Caller, humanActor } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { formatName } from '../format-name.ts';
import { lockAccounts, pendingAddress } from '../place-person.ts';
import { hashPassword } from '../sign-in/hash-password.ts';
import { hashToken, makeToken } from '../sign-in/session-token.ts';
import { LINK_PATH } from '../sign-in/sign-invitation.ts';
import { findUser, findUserByAddress, updateUser } from '../store/accounts.ts';
import { listOrganizationsOfUser } from '../store/organizations.ts';
import {
  deleteSignInLink,
  deleteSignInLinksOfUser,
  findSignInLink,
  insertSignInLink,
  type LinkPurpose,
} from '../store/sign-in-links.ts';
import type { UserRow } from '../store/tables.ts';
import type { MemberService } from './members.ts';
import type { TenantPorts } from './ports.ts';
import type { Client, OpenedSession, SessionService } from './sessions.ts';
import type { VerifyOwner } from './verify-owner.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

export type SignInLink = { path: string; purpose: LinkPurpose; expires_at: string };
export type CreatedLink = SignInLink & {
  email: string;
  /** How many organizations the account belongs to: the link opens all of them. */
  organizations: number;
};
export type OpenLink = {
  id: string;
  purpose: LinkPurpose;
  email: string;
  user_id: string;
  name: string | null;
  organization: { id: string; name: string } | undefined;
  expires_at: string;
  /** Of a member who has not accepted yet: the account of the address, which joins if its owner wants that. */
  account: UserRow | undefined;
};
export type NewPerson = { password: string; first_name?: string | undefined; last_name?: string | undefined };

export type LinkService = {
  /** For a new user without a password, in the transaction that creates them. A new link ends the old ones. */
  insert(tx: Tx, user: Pick<UserRow, 'id' | 'password_hash'>): Promise<SignInLink>;
  /** For a member who signs in for the first time, or has lost the password. Only the operator may have such a link. */
  create(caller: Caller, userId: string): Promise<CreatedLink>;
  /** The same for a member whose account has not accepted yet; undefined for others. */
  createForPending(caller: Caller, userId: string): Promise<CreatedLink | undefined>;
  open(token: string): Promise<OpenLink>;
  /**
   * Sets the password, ends the user's sessions and links, and signs in. Where the address has an account elsewhere, the
   * password must be that one's, and the account joins.
   */
  use(token: string, person: NewPerson, client: Client): Promise<OpenedSession>;
  /** The account joins the organization of the link; the caller has checked that its owner wants that. */
  claim(tx: Tx, link: OpenLink, account: UserRow): Promise<void>;
};

export function createLinkService(
  deps: Omit<TenantPorts, 'keysSignal'> & {
    members: MemberService;
    sessions: SessionService;
    verifyOwner: VerifyOwner;
  },
): LinkService {
  const { database, audit, members, sessions, verifyOwner, now } = deps;

  async function insert(tx: Tx, user: Pick<UserRow, 'id' | 'password_hash'>): Promise<SignInLink> {
    const token = makeToken();
    const purpose = user.password_hash ? 'password_reset' : 'first_sign_in';
    const expires_at = isoMicros(() => now() + LIFETIME_MS);
    await deleteSignInLinksOfUser(tx, user.id);
    const row = { id: uuid(), user_id: user.id, purpose, created_at: isoMicros(now), expires_at } as const;
    await insertSignInLink(tx, { ...row, token_hash: hashToken(token) });
    return { path: `${LINK_PATH}${token}`, purpose, expires_at };
  }

  async function open(token: string): Promise<OpenLink> {
    const row = await findSignInLink(database.db, hashToken(token));
    if (!row) throw tenantErrors.sign_in_link_invalid();
    if (Date.parse(row.expires_at) <= now()) throw tenantErrors.sign_in_link_expired();
    const { id, purpose, email, user_id, expires_at } = row;
    const [organization] = await listOrganizationsOfUser(database.db, user_id);
    const other = row.pending_email ? await findUserByAddress(database.db, email) : undefined;
    const account = other?.password_hash ? other : undefined;
    return { id, purpose, email, user_id, name: formatName(row), organization, expires_at, account };
  }

  async function create(caller: Caller, userId: string): Promise<CreatedLink> {
    return database.transaction(async (tx) => {
      const { email } = await members.get(caller.organization_id, userId, tx);
      const user = await findUser(tx, userId);
      const link = await insert(tx, { id: userId, password_hash: user?.password_hash });
      const organizations = await listOrganizationsOfUser(tx, userId);
      for (const { id } of organizations)
        await audit.record(tx, {
          organization_id: id,
          actor: caller.actor,
          event_type: 'user.sign_in_link.create',
          event_metadata: { purpose: link.purpose },
          target_type: 'USER',
          target_metadata: { id: userId, email },
        });
      return { ...link, email, organizations: organizations.length };
    });
  }

  async function claim(tx: Tx, link: OpenLink, account: UserRow): Promise<void> {
    if (!link.organization || !(await deleteSignInLink(tx, link.id))) throw tenantErrors.sign_in_link_invalid();
    await deleteSignInLinksOfUser(tx, link.user_id);
    const caller = { organization_id: link.organization.id, actor: humanActor(account) };
    await members.claim(tx, caller, link.user_id, account);
  }

  async function claimWithPassword(link: OpenLink, account: UserRow, password: string, client: Client) {
    await verifyOwner(account, password);
    return database.transaction(async (tx) => {
      await claim(tx, link, account);
      const session = await sessions.open(tx, account, client);
      await sessions.record(tx, account, { event_type: 'user.log_in', event_metadata: { by: 'link' } });
      return session;
    });
  }

  /** An address that nobody has set a password for goes to the first person who does. */
  async function takeAddress(tx: Tx, { user_id, email }: OpenLink): Promise<void> {
    await lockAccounts(tx, database.kind);
    const holder = await findUserByAddress(tx, email);
    if (holder?.id === user_id) return;
    if (holder?.password_hash) throw tenantErrors.sign_in_link_invalid();
    if (holder) await updateUser(tx, holder.id, pendingAddress(holder));
    await updateUser(tx, user_id, { email, pending_email: null });
  }

  return {
    insert,
    open,
    create,
    claim,
    async createForPending(caller, userId) {
      const user = await findUser(database.db, userId);
      return user?.pending_email ? create(caller, userId) : undefined;
    },
    async use(token, { password, first_name, last_name }, client) {
      const link = await open(token);
      if (link.account) return claimWithPassword(link, link.account, password, client);
      const user = { id: link.user_id, email: link.email };
      const password_hash = await hashPassword(password);
      return database.transaction(async (tx) => {
        if (!(await deleteSignInLink(tx, link.id))) throw tenantErrors.sign_in_link_invalid();
        await deleteSignInLinksOfUser(tx, user.id);
        await takeAddress(tx, link);
        await sessions.endOfUser(tx, user.id);
        const names = first_name === undefined ? {} : { first_name, last_name: last_name ?? '' };
        await updateUser(tx, user.id, { password_hash, ...names });
        const session = await sessions.open(tx, user, client);
        const event_metadata = { by: 'link', purpose: link.purpose };
        await sessions.record(tx, user, { event_type: 'user.password.update', event_metadata });
        await sessions.record(tx, user, { event_type: 'user.log_in', event_metadata });
        return session;
      });
    },
  };
}
