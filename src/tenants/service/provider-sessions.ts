import { hash } from 'node:crypto';
import type { Tx } from '../../kit/db/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import { sessionPlace } from '../sign-in/secret-places.ts';
import { findUser } from '../store/accounts.ts';
import {
  claimCheck,
  deleteSessionsOfOthers,
  deleteSessionsOfSubject,
  findCheckedSession,
  findProviderSession,
  listDueSessions,
} from '../store/provider-sessions.ts';
import { deleteSession, updateProvider } from '../store/sessions.ts';
import { takeMark } from '../store/sign-in-attempts.ts';
import type { UserRow } from '../store/tables.ts';
import type { TenantPorts } from './ports.ts';
import type { Client, OpenedSession, SessionService } from './sessions.ts';

/** For one check: a refresh token that two processes use at once is one that a provider takes for stolen. */
const CHECK_MS = 60_000;

export type ProviderTokens = {
  access_token: string;
  refresh_token?: string | undefined;
  id_token?: string | undefined;
  /** Where the provider last named groups; absent where it named none. */
  groups_from?: 'user_info' | 'id_token' | undefined;
};
export type ProviderSignIn = {
  provider: string;
  subject: string;
  sid: string | undefined;
  tokens: ProviderTokens;
  recheckMs: number;
};
export type CheckedSession = {
  id: string;
  user: Pick<UserRow, 'id' | 'email'>;
  provider: string;
  subject: string;
  /** Undefined where their key is lost. */
  tokens: ProviderTokens | undefined;
  checkedAtMs: number;
};

/** A message of the provider, by its own id. */
export type ProviderLogout = {
  id: string;
  /** From then on it would be refused as too old. */
  expiresAtMs: number;
  subject: string | undefined;
  sid: string | undefined;
};

/** Sessions that a provider vouches for, as long as it does. */
export type ProviderSessionService = {
  open(user: Pick<UserRow, 'id' | 'email'>, signIn: ProviderSignIn, client: Client): Promise<OpenedSession>;
  /** A session that a provider vouches for; undefined once it has ended. */
  read(id: string): Promise<CheckedSession | undefined>;
  /** Sessions to ask their provider about; no other process gets the same ones until they are confirmed or released. */
  takeDue(provider: string, limit: number): Promise<CheckedSession[]>;
  /** The same for one session, due or not. Undefined where another process has it, or it has ended. */
  take(id: string): Promise<CheckedSession | undefined>;
  /** Ends the sessions of all other providers. */
  endOfOthers(providers: readonly string[]): Promise<void>;
  /** Stores tokens that replace the session's. */
  keep(id: string, tokens: ProviderTokens): Promise<void>;
  /** The provider vouches for it again; it was asked at that time. */
  confirm(id: string, askedAtMs: number, recheckMs: number): Promise<void>;
  /** The provider did not answer: others may ask it, this process after a while. */
  release(id: string, retryMs: number): Promise<void>;
  /** The provider no longer vouches for it. */
  end(session: Pick<CheckedSession, 'id' | 'user' | 'provider'>, reason: string): Promise<void>;
  /** The provider says that its subject, or one session of it, has ended. False where it said so in this message before. */
  endOfSubject(provider: string, logout: ProviderLogout): Promise<boolean>;
  /** For a sign-out that the provider should hear of too. */
  find(sessionId: string): Promise<{ provider: string; tokens: ProviderTokens | undefined } | undefined>;
};

export function createProviderSessionService(
  deps: TenantPorts & { sessions: SessionService; box: SecretBox },
): ProviderSessionService {
  const { database, keysSignal, now, sessions, box } = deps;
  const { db } = database;

  function openTokens(id: string, sealed: string | null | undefined): ProviderTokens | undefined {
    const text = sealed ? box.open(sealed, sessionPlace(id)) : undefined;
    return text === undefined ? undefined : (JSON.parse(text) as ProviderTokens);
  }

  function show(row: Awaited<ReturnType<typeof findCheckedSession>>): CheckedSession | undefined {
    if (!row?.provider || !row.provider_subject) return undefined;
    const { id, user_id, email, provider, provider_subject: subject, provider_tokens, checked_at_ms } = row;
    const tokens = openTokens(id, provider_tokens);
    return { id, user: { id: user_id, email }, provider, subject, tokens, checkedAtMs: checked_at_ms ?? 0 };
  }

  const claim = (id: string) => claimCheck(db, id, now(), now() + CHECK_MS);
  const read = async (id: string) => show(await findCheckedSession(db, id));

  /** One entry for each person in the audit logs of their organizations. */
  async function recordEnds(
    tx: Tx,
    ended: { user_id: string; provider?: string | null | undefined }[],
    reason: string,
  ) {
    if (ended.length === 0) return;
    keysSignal.raise(tx);
    const byPerson = new Map(ended.map((one) => [`${one.user_id} ${one.provider}`, one]));
    for (const { user_id, provider } of byPerson.values()) {
      const user = await findUser(tx, user_id);
      const event_metadata = { by: 'provider', provider: provider ?? '', reason };
      if (user) await sessions.record(tx, user, { event_type: 'user.log_out', event_metadata });
    }
  }

  return {
    open: (user, { provider, subject, sid, tokens, recheckMs }, client) =>
      database.transaction(async (tx) => {
        const opened = await sessions.open(tx, user, client);
        await updateProvider(tx, opened.id, {
          provider,
          provider_subject: subject,
          provider_sid: sid ?? null,
          provider_tokens: box.seal(JSON.stringify(tokens), sessionPlace(opened.id)),
          checked_at_ms: now(),
          check_due_ms: now() + recheckMs,
        });
        await sessions.record(tx, user, { event_type: 'user.log_in', event_metadata: { by: 'provider', provider } });
        return opened;
      }),
    endOfOthers: (providers) =>
      database.transaction(async (tx) => {
        const reason = 'the provider is no longer configured';
        await recordEnds(tx, await deleteSessionsOfOthers(tx, providers), reason);
      }),
    read,
    // Read after the claim: whoever had it before may have stored new tokens.
    take: async (id) => ((await claim(id)) ? read(id) : undefined),
    async takeDue(provider, limit) {
      const due: CheckedSession[] = [];
      for (const { id } of await listDueSessions(db, provider, now(), limit)) {
        const session = (await claim(id)) ? await read(id) : undefined;
        if (session) due.push(session);
      }
      return due;
    },
    keep: (id, tokens) =>
      database.transaction((tx) =>
        updateProvider(tx, id, { provider_tokens: box.seal(JSON.stringify(tokens), sessionPlace(id)) }),
      ),
    confirm: (id, askedAtMs, recheckMs) =>
      database.transaction((tx) =>
        updateProvider(tx, id, {
          checked_at_ms: askedAtMs,
          check_due_ms: now() + recheckMs,
          checking_until_ms: null,
        }),
      ),
    release: (id, retryMs) =>
      database.transaction((tx) => updateProvider(tx, id, { check_due_ms: now() + retryMs, checking_until_ms: null })),
    end: ({ id, user, provider }, reason) =>
      database.transaction(async (tx) => {
        if (await deleteSession(tx, id)) await recordEnds(tx, [{ user_id: user.id, provider }], reason);
      }),
    endOfSubject: (provider, { id, expiresAtMs, ...which }) =>
      database.transaction(async (tx) => {
        const mark = `logout:${provider}:${hash('sha256', id, 'hex')}`;
        if (!(await takeMark(tx, mark, now(), expiresAtMs))) return false;
        const ended = await deleteSessionsOfSubject(tx, provider, which);
        await recordEnds(
          tx,
          ended.map(({ user_id }) => ({ user_id, provider })),
          'signed out there',
        );
        return true;
      }),
    async find(sessionId) {
      const row = await findProviderSession(db, sessionId);
      return row?.provider ? { provider: row.provider, tokens: openTokens(sessionId, row.provider_tokens) } : undefined;
    },
  };
}
