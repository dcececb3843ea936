import type { AuditEntry } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { listUserWorkspaces, type WorkspaceSummary } from '../authenticate/choose-workspace.ts';
import { readSession } from '../authenticate/read-session.ts';
import type { Voucher } from '../authenticate/vouching.ts';
import { boundOrganization, humanActor } from '../caller.ts';
import { tenantErrors } from '../errors.ts';
import { formatName } from '../format-name.ts';
import { resolveRoles } from '../resolve-roles.ts';
import { type OrganizationRole, organizationRoles, type SignInState } from '../schema.ts';
import { hashPassword, isPassword } from '../sign-in/hash-password.ts';
import { hashToken, makeToken, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '../sign-in/session-token.ts';
import { findUserByAddress } from '../store/accounts.ts';
import { listOrganizationsOfUser } from '../store/organizations.ts';
import {
  deleteEndedSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessionByHash,
  deleteSessionOfUser,
  deleteSessionsOfUser,
  findSessionEnd,
  insertSession,
  listSessionsOfUser,
} from '../store/sessions.ts';
import { deleteEndedSignInLinks } from '../store/sign-in-links.ts';
import type { UserRow } from '../store/tables.ts';
import type { TenantPorts } from './ports.ts';

const USER_AGENT_CHARACTERS_MAX = 512;
const SESSIONS_LISTED_MAX = 200;

/** The browser that signs in. */
export type Client = {
  address: string;
  userAgent: string;
  /** The token of its previous session. */
  token?: string | undefined;
  /** The token by which the account knows it. */
  deviceToken?: string | undefined;
};
export type OpenedSession = { id: string; token: string; user_id: string; expires_at: string };
export type OwnSession = {
  id: string;
  address: string;
  user_agent: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  provider: string | null;
  is_current: boolean;
};
type Person = Pick<UserRow, 'id' | 'email'>;
type PersonEvent = Pick<AuditEntry, 'event_type' | 'event_metadata'>;

export type SessionView = {
  user: { id: string; email: string; name: string | null; role: OrganizationRole };
  organization: { id: string; name: string; plan: Scope['plan'] };
  workspaces: WorkspaceSummary[];
  /** The current workspace, and the user's permissions there. */
  workspace_id: string | null;
  permissions: string[];
  expires_at: string;
  sign_in: SignInState;
};

export type SessionService = {
  /** Finds the user and checks the password. Takes as long for an unknown address as for a known one. */
  identify(email: string, password: string): Promise<{ user: UserRow | undefined; isRight: boolean }>;
  findAccount(email: string): Promise<UserRow | undefined>;
  /** Opens a new session, never one that existed before, and ends the browser's previous one. */
  open(tx: Tx, user: Person, client: Client): Promise<OpenedSession>;
  describe(scope: Scope): Promise<SessionView>;
  /** Undefined when the user belongs to no organization. */
  describeOpened(session: OpenedSession): Promise<SessionView | undefined>;
  end(scope: Scope): Promise<void>;
  /** Ends the user's sessions in all browsers. */
  endAll(scope: Scope): Promise<void>;
  /** The same, as part of another change. */
  endOfUser(tx: Tx, userId: string): Promise<void>;
  /** All sessions of the user but one, as part of another change; returns how many. */
  endOthers(tx: Tx, userId: string, keptId: string): Promise<number>;
  /** The user's sessions that have not ended, the one used last first. */
  list(scope: Scope): Promise<OwnSession[]>;
  isOpen(id: string, userId: string): Promise<boolean>;
  /** Ends one session of the user; throws 404 for any other. */
  endOne(scope: Scope, id: string): Promise<void>;
  /** Records an event in the audit log of each organization of the user; call it last in the transaction. */
  record(tx: Tx, user: Person, event: PersonEvent): Promise<void>;
  prune(): Promise<void>;
};

export function createSessionService(
  deps: TenantPorts & { vouching: Pick<Voucher, 'organizationOf'> },
): SessionService {
  const { database, audit, keysSignal, now, vouching } = deps;
  let decoy: Promise<string> | undefined;

  async function record(tx: Tx, user: Person, event: PersonEvent): Promise<void> {
    for (const { id } of await listOrganizationsOfUser(tx, user.id))
      await audit.record(tx, {
        organization_id: id,
        actor: humanActor(user),
        target_type: 'USER',
        target_metadata: { id: user.id, email: user.email },
        ...event,
      });
  }

  async function describe(scope: Scope): Promise<SessionView> {
    const { db } = database;
    const { user_id, organization_id, workspace_id, identity } = scope;
    const { organization: roles } = await resolveRoles(db, organization_id, workspace_id, user_id);
    // The list is in the order of what the roles permit.
    const role = organizationRoles.findLast((one) => roles.includes(one)) ?? 'member';
    return {
      user: { id: user_id, email: identity.email ?? '', name: formatName(identity), role },
      organization: { id: organization_id, name: identity.organization?.name ?? '', plan: scope.plan },
      workspaces: await listUserWorkspaces(db, user_id, boundOrganization(scope)),
      workspace_id: workspace_id || null,
      permissions: [...scope.permissions],
      sign_in: scope.sign_in ?? { provider: null, has_second_factor: false, refusal: null },
      expires_at: (await findSessionEnd(db, scope.session_id ?? ''))?.expires_at ?? isoMicros(now),
    };
  }

  return {
    record,
    async identify(email, password) {
      decoy ??= hashPassword(makeToken());
      const decoyHash = await decoy;
      const user = await findUserByAddress(database.db, email);
      const isRight = await isPassword(password, user?.password_hash ?? decoyHash);
      return { user, isRight: isRight && Boolean(user?.password_hash) };
    },
    findAccount: (email) => findUserByAddress(database.db, email),
    async open(tx, { id: user_id }, { address, userAgent, token: previous }) {
      if (previous !== undefined && (await deleteSessionByHash(tx, hashToken(previous)))) keysSignal.raise(tx);
      const token = makeToken();
      const created_at = isoMicros(now);
      const expires_at = isoMicros(() => now() + SESSION_LIFETIME_MS);
      const id = uuid();
      const user_agent = userAgent.slice(0, USER_AGENT_CHARACTERS_MAX).toWellFormed().replaceAll('\0', '');
      const row = { id, user_id, address, user_agent, created_at, last_seen_at: created_at, expires_at };
      await insertSession(tx, { ...row, token_hash: hashToken(token) });
      return { id, token, user_id, expires_at };
    },
    describe,
    async describeOpened({ token }) {
      const found = await readSession(database.db, vouching, hashToken(token), '');
      return found && describe(found.scopes.console);
    },
    end: (scope) =>
      database.transaction(async (tx) => {
        if (!(await deleteSession(tx, scope.session_id ?? ''))) return;
        keysSignal.raise(tx);
        await record(tx, personOf(scope), { event_type: 'user.log_out' });
      }),
    endAll: (scope) =>
      database.transaction(async (tx) => {
        const sessions = await deleteSessionsOfUser(tx, scope.user_id);
        keysSignal.raise(tx);
        const event_metadata = { sessions: String(sessions) };
        await record(tx, personOf(scope), { event_type: 'user.log_out', event_metadata });
      }),
    async endOfUser(tx, userId) {
      await deleteSessionsOfUser(tx, userId);
      keysSignal.raise(tx);
    },
    async endOthers(tx, userId, keptId) {
      const ended = await deleteOtherSessions(tx, userId, keptId);
      keysSignal.raise(tx);
      return ended;
    },
    async list({ user_id, session_id }) {
      const idleSince = isoMicros(() => now() - SESSION_IDLE_MS);
      const rows = await listSessionsOfUser(database.db, user_id, isoMicros(now), idleSince, SESSIONS_LISTED_MAX);
      return rows.map((row) => ({ ...row, provider: row.provider ?? null, is_current: row.id === session_id }));
    },
    isOpen: async (id, userId) => (await findSessionEnd(database.db, id))?.user_id === userId,
    endOne: (scope, id) =>
      database.transaction(async (tx) => {
        if (!(await deleteSessionOfUser(tx, scope.user_id, id))) throw tenantErrors.session_not_found(id);
        keysSignal.raise(tx);
        await record(tx, personOf(scope), { event_type: 'user.log_out', event_metadata: { ended_session: id } });
      }),
    prune: () =>
      database.transaction(async (tx) => {
        const idleSince = isoMicros(() => now() - SESSION_IDLE_MS);
        await deleteEndedSessions(tx, isoMicros(now), idleSince);
        await deleteEndedSignInLinks(tx, isoMicros(now));
      }),
  };
}

function personOf({ user_id, identity }: Scope): Person {
  return { id: user_id, email: identity.email ?? '' };
}
