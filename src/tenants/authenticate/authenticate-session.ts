import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database, Signal } from '../../kit/db/index.ts';
import { type BrowserRequest, isCrossOrigin, type KeySurface, type Scope } from '../../kit/http/index.ts';
import { hashToken, isCsrfToken, readSessionToken, SESSION_IDLE_MS } from '../sign-in/session-token.ts';
import { updateLastSeenAt } from '../store/sessions.ts';
import { createEntryCache } from './cache-entries.ts';
import { readSession } from './read-session.ts';
import type { Voucher } from './vouching.ts';

/** How often a session in use stores the time of its last use. */
const SEEN_AGAIN_MS = 60_000;
const WORKSPACE_ID = /^[0-9a-z-]{1,64}$/i;
const READ_METHODS = new Set(['GET', 'HEAD']);

const FOREIGN_ORIGIN =
  'A page of another origin may not use this session. Use the console of this server, or an API key.';
const NO_CSRF_TOKEN =
  'The header x-csrf-token is missing or is not that of the session. Reload the page and try again.';

type Entry = {
  id: string;
  provider: string | undefined;
  expiresAtMs: number;
  lastSeenAtMs: number;
  scopes: Record<KeySurface, Scope>;
};

export type SessionAuthenticator = {
  authenticate(browser: BrowserRequest, surface: KeySurface): Scope | undefined | Promise<Scope | undefined>;
  /** Stores the last use of the sessions seen since the previous call. */
  flush(): Promise<void>;
};

/** Turns cookies into scopes; a session that was seen before in the same workspace is answered from memory. */
export function createSessionAuthenticator(
  database: Database,
  signal: Signal,
  now: Clock,
  vouching: Pick<Voucher, 'confirm' | 'organizationOf'>,
): SessionAuthenticator {
  const seen = new Set<string>();
  const cache = createEntryCache<Entry>({ signal, now, read });

  async function read(id: string): Promise<Entry | undefined> {
    const [tokenHash = '', workspace = ''] = id.split(' ');
    const found = await readSession(database.db, vouching, tokenHash, workspace);
    if (!found) return undefined;
    const { session, scopes } = found;
    const [expiresAtMs, lastSeenAtMs] = [Date.parse(session.expires_at), Date.parse(session.last_seen_at)];
    return { id: session.id, provider: session.provider ?? undefined, expiresAtMs, lastSeenAtMs, scopes };
  }

  /** Undefined where nothing is to be waited for; else the entry as it is after the provider was asked. */
  function confirm(id: string, { id: sessionId, provider }: Entry): Promise<Entry | undefined> | undefined {
    const asked = provider === undefined ? undefined : vouching.confirm({ id: sessionId, provider });
    return asked?.then(() => {
      // Another process may have applied the answer, and its signal may still be on the way.
      cache.forget(id);
      return cache.load(id);
    });
  }

  async function load(id: string): Promise<Entry | undefined> {
    const entry = await cache.load(id);
    const confirmed = entry && !isExpired(entry) ? confirm(id, entry) : undefined;
    return confirmed ?? entry;
  }

  function isExpired({ expiresAtMs, lastSeenAtMs }: Entry): boolean {
    return expiresAtMs <= now() || lastSeenAtMs + SESSION_IDLE_MS <= now();
  }

  function admit(entry: Entry | undefined, token: string, browser: BrowserRequest, surface: KeySurface) {
    if (!entry || isExpired(entry)) return undefined;
    const scope = entry.scopes[surface];
    if (isCrossOrigin(browser)) return { ...scope, refusal: FOREIGN_ORIGIN };
    if (!READ_METHODS.has(browser.method) && !isCsrfToken(browser.headers['x-csrf-token'], token))
      return { ...scope, refusal: NO_CSRF_TOKEN };
    if (!browser.isFollowed && now() - entry.lastSeenAtMs >= SEEN_AGAIN_MS) {
      entry.lastSeenAtMs = now();
      seen.add(entry.id);
    }
    return scope;
  }

  return {
    authenticate(browser, surface) {
      const token = readSessionToken(browser.headers);
      if (token === undefined) return undefined;
      const requested = browser.headers['x-tramontane-workspace'] ?? '';
      // All values that cannot be an id share one cache entry.
      const isId = typeof requested === 'string' && (requested === '' || WORKSPACE_ID.test(requested));
      const workspace = isId ? requested : '-';
      const id = `${hashToken(token)} ${workspace}`;
      const cached = cache.find(id);
      if (cached && !isExpired(cached)) {
        const confirmed = confirm(id, cached);
        if (!confirmed) return admit(cached, token, browser, surface);
        return confirmed.then((entry) => admit(entry, token, browser, surface));
      }
      // Another process may have stored a later use of the session.
      if (cached) cache.forget(id);
      return load(id).then((entry) => admit(entry, token, browser, surface));
    },
    async flush() {
      const ids = [...seen];
      seen.clear();
      if (ids.length === 0) return;
      const seenAt = isoMicros(now);
      await database.transaction(async (tx) => {
        for (const id of ids) await updateLastSeenAt(tx, id, seenAt);
      });
    },
  };
}
