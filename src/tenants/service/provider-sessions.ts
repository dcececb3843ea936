import type { SecretBox } from '../../kit/secrets/index.ts';
import { sessionPlace } from '../sign-in/secret-places.ts';
import { findUser } from '../store/accounts.ts';
import {
  claimCheck,
  deleteSessionsOfOthers,
  deleteSessionsOfSubject,
  findProviderSession,
  listDueSessions,
} from '../store/provider-sessions.ts';
import { deleteSession, updateProvider } from '../store/sessions.ts';
import type { UserRow } from '../store/tables.ts';
import type { TenantPorts } from './ports.ts';
import type { Client, OpenedSession, SessionService } from './sessions.ts';

/** For one check: a refresh token that two processes use at once is one that a provider takes for stolen. */
const CHECK_MS = 60_000;

export type ProviderTokens = {
  access_token: string;
  refresh_token?: string | undefined;
  id_token?: string | undefined;
};
export type ProviderSignIn = {
  provider: string;
  subject: string;
  sid: string | undefined;
  tokens: ProviderTokens;
  recheckMs: number;
};
export type DueSession = {
  id: string;
  user: Pick<UserRow, 'id' | 'email'>;
  provider: string;
  subject: string;
  /** Undefined where their key is lost. */
  tokens: ProviderTokens | undefined;
  checkedAtMs: number;
};

/** Sessions that a provider vouches for, as long as it does. */
export type ProviderSessionService = {
  open(user: Pick<UserRow, 'id' | 'email'>, signIn: ProviderSignIn, client: Client): Promise<OpenedSession>;
  /** Sessions to ask their provider about; no other process gets the same ones. */
  takeDue(provider: string, limit: number): Promise<DueSession[]>;
  /** Ends the sessions of all other providers. */
  endOfOthers(providers: readonly string[]): Promise<void>;
  /** Stores tokens that replace the session's. */
  keep(id: string, tokens: ProviderTokens): Promise<void>;
  /** The provider vouches for it again. */
  confirm(id: string, recheckMs: number): Promise<void>;
  /** The provider no longer vouches for it. */
  end(session: Pick<DueSession, 'id' | 'user' | 'provider'>, reason: string): Promise<void>;
  /** The provider says that its subject, or one session of it, has ended; returns how many ended here. */
  endOfSubject(provider: string, which: { subject: string | undefined; sid: string | undefined }): Promise<number>;
  /** For a sign-out that the provider should hear of too. */
  find(sessionId: string): Promise<{ provider: string; tokens: ProviderTokens | undefined } | undefined>;
};

export function createProviderSessionService(
  deps: TenantPorts & { sessions: SessionService; box: SecretBox },
): ProviderSessionService {
  const { database, keysSignal, now, sessions, box } = deps;

  function openTokens(id: string, sealed: string | null | undefined): ProviderTokens | undefined {
    const text = sealed ? box.open(sealed, sessionPlace(id)) : undefined;
    return text === undefined ? undefined : (JSON.parse(text) as ProviderTokens);
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
        if (await deleteSessionsOfOthers(tx, providers)) keysSignal.raise(tx);
      }),
    async takeDue(provider, limit) {
      const due: DueSession[] = [];
      for (const row of await listDueSessions(database.db, provider, now(), limit)) {
        const { id, provider_subject, check_due_ms } = row;
        if (!provider_subject || check_due_ms === null || check_due_ms === undefined) continue;
        if (!(await claimCheck(database.db, id, check_due_ms, now() + CHECK_MS))) continue;
        due.push({
          id,
          user: { id: row.user_id, email: row.email },
          provider,
          subject: provider_subject,
          tokens: openTokens(id, row.provider_tokens),
          checkedAtMs: row.checked_at_ms ?? 0,
        });
      }
      return due;
    },
    keep: (id, tokens) =>
      database.transaction((tx) =>
        updateProvider(tx, id, { provider_tokens: box.seal(JSON.stringify(tokens), sessionPlace(id)) }),
      ),
    confirm: (id, recheckMs) =>
      database.transaction((tx) => updateProvider(tx, id, { checked_at_ms: now(), check_due_ms: now() + recheckMs })),
    end: ({ id, user, provider }, reason) =>
      database.transaction(async (tx) => {
        if (!(await deleteSession(tx, id))) return;
        keysSignal.raise(tx);
        await sessions.record(tx, user, {
          event_type: 'user.log_out',
          event_metadata: { by: 'provider', provider, reason },
        });
      }),
    endOfSubject: (provider, which) =>
      database.transaction(async (tx) => {
        const ended = await deleteSessionsOfSubject(tx, provider, which);
        if (ended.length === 0) return 0;
        keysSignal.raise(tx);
        for (const userId of new Set(ended.map(({ user_id }) => user_id))) {
          const user = await findUser(tx, userId);
          const event_metadata = { by: 'provider', provider, reason: 'signed out there' };
          if (user) await sessions.record(tx, user, { event_type: 'user.log_out', event_metadata });
        }
        return ended.length;
      }),
    async find(sessionId) {
      const row = await findProviderSession(database.db, sessionId);
      return row?.provider ? { provider: row.provider, tokens: openTokens(sessionId, row.provider_tokens) } : undefined;
    },
  };
}
