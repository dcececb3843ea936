import type { AuditEntry, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Database, Db, Signal, Tx } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { listPlaces, mainRole, type PlaceSummary } from '../authenticate/choose-workspace.ts';
import { readSession } from '../authenticate/read-session.ts';
import type { OrganizationRole } from '../permissions.ts';
import { effectiveRoles } from '../resolve-roles.ts';
import { hashPassword, isPassword } from '../sign-in/hash-password.ts';
import { hashToken, makeToken } from '../sign-in/session-token.ts';
import { findUserByAddress } from '../store/members.ts';
import { listOrganizationsOfUser } from '../store/organizations.ts';
import {
  deleteEndedSessions,
  deleteSession,
  deleteSessionByHash,
  deleteSessionsOfUser,
  findSessionEnd,
  insertSession,
} from '../store/sessions.ts';
import { deleteEndedSignInLinks } from '../store/sign-in-links.ts';
import type { UserRow } from '../store/tables.ts';

const HOUR_MS = 60 * 60 * 1000;
/** A session that nobody uses ends after a day, one that is used after two weeks. */
export const SESSION_IDLE_MS = 24 * HOUR_MS;
export const SESSION_LIFETIME_MS = 14 * 24 * HOUR_MS;

const USER_AGENT_CHARACTERS_MAX = 512;
const ORGANIZATIONS_MAX = 100;

/** Where a browser is, as the session list and the audit log name it. */
export type Client = {
  address: string;
  userAgent: string /** The session that it had until now. */;
  token?: string | undefined;
};
export type OpenedSession = { id: string; token: string; user_id: string; expires_at: string };
type Person = Pick<UserRow, 'id' | 'email'>;
type PersonEvent = Pick<AuditEntry, 'event_type' | 'event_metadata'>;

export type SessionView = {
  user: { id: string; email: string; name: string | null; role: OrganizationRole };
  organization: { id: string; name: string; plan: Scope['plan'] };
  workspaces: PlaceSummary[];
  /** Where the session is now, and what the user may do there. */
  workspace_id: string | null;
  permissions: string[];
  expires_at: string;
};

export type SessionService = {
  /** The user whom the address belongs to, and whether this is their password: the same work whether there is one or not. */
  identify(email: string, password: string): Promise<{ user: UserRow | undefined; isRight: boolean }>;
  /** Always a new one, so that nobody can sign in to a session that somebody else prepared; the browser's old one ends. */
  open(tx: Tx, user: Person, client: Client): Promise<OpenedSession>;
  describe(scope: Scope): Promise<SessionView>;
  /** The same, of a session that was opened just now; undefined when the user belongs nowhere. */
  describeOpened(session: OpenedSession): Promise<SessionView | undefined>;
  end(scope: Scope): Promise<void>;
  /** All sessions of the user, in every browser. */
  endAll(scope: Scope): Promise<void>;
  /** All of them, in the transaction of what ends them. */
  endOf(tx: Tx, userId: string): Promise<void>;
  /** Into the log of each organization that the user belongs to; last in its transaction. */
  record(tx: Tx, user: Person, event: PersonEvent): Promise<void>;
  prune(): Promise<void>;
};

export function createSessionService(deps: {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  now: Clock;
}): SessionService {
  const { database, audit, keysSignal, now } = deps;
  let decoy: Promise<string> | undefined;

  async function record(tx: Tx, user: Person, event: PersonEvent): Promise<void> {
    for (const { id } of await organizationsOf(tx, user.id))
      await audit.record(tx, {
        organization_id: id,
        actor: { type: 'HUMAN', metadata: { user_uuid: user.id, email: user.email } },
        target_type: 'USER',
        target_metadata: { id: user.id, email: user.email },
        ...event,
      });
  }

  async function describe(scope: Scope): Promise<SessionView> {
    const { db } = database;
    const { user_id, organization_id, workspace_id, identity } = scope;
    const { organization: roles } = await effectiveRoles(db, organization_id, workspace_id, user_id);
    return {
      user: { id: user_id, email: identity.email ?? '', name: nameOf(identity), role: mainRole(roles) },
      organization: { id: organization_id, name: identity.organization?.name ?? '', plan: scope.plan },
      workspaces: await listPlaces(db, user_id),
      workspace_id: workspace_id || null,
      permissions: [...scope.permissions],
      expires_at: (await findSessionEnd(db, scope.session_id ?? ''))?.expires_at ?? isoMicros(now),
    };
  }

  return {
    record,
    async identify(email, password) {
      decoy ??= hashPassword(makeToken());
      const nobodys = await decoy;
      const user = await findUserByAddress(database.db, email);
      const isRight = await isPassword(password, user?.password_hash ?? nobodys);
      return { user, isRight: isRight && Boolean(user?.password_hash) };
    },
    async open(tx, { id: user_id }, { address, userAgent, token: former }) {
      if (former !== undefined && (await deleteSessionByHash(tx, hashToken(former)))) keysSignal.raise(tx);
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
      const found = await readSession(database.db, hashToken(token), '');
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
    async endOf(tx, userId) {
      await deleteSessionsOfUser(tx, userId);
      keysSignal.raise(tx);
    },
    prune: () =>
      database.transaction(async (tx) => {
        await deleteEndedSessions(
          tx,
          isoMicros(now),
          isoMicros(() => now() - SESSION_IDLE_MS),
        );
        await deleteEndedSignInLinks(tx, isoMicros(now));
      }),
  };
}

export function organizationsOf(db: Db, userId: string) {
  return listOrganizationsOfUser(db, userId, { offset: 0, limit: ORGANIZATIONS_MAX });
}

function personOf({ user_id, identity }: Scope): Person {
  return { id: user_id, email: identity.email ?? '' };
}

function nameOf({ first_name, last_name }: Pick<UserRow, 'first_name' | 'last_name'>): string | null {
  return [first_name, last_name].filter(Boolean).join(' ') || null;
}
