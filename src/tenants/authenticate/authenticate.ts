import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database, Signal } from '../../kit/db/index.ts';
import type { Authenticate, Credentials, Scope, Surface } from '../../kit/http/index.ts';
import { hashKey, isWellFormed } from '../make-key.ts';
import { findKeyWithOwner, listIrregularHashes, updateLastUsedAt } from '../store/keys.ts';
import { createSessionAuthenticator } from './authenticate-session.ts';
import { type Authority, createAuthority } from './authority.ts';
import { createEntryCache } from './cache-entries.ts';
import { type ClientTokens, createClientTokens } from './client-tokens.ts';
import { readKeyScope } from './read-scope.ts';
import { createVouching, type Voucher } from './vouching.ts';

const LAST_USE_FLUSH_MS = 10_000;
const BEARER = /^bearer +(\S+)$/i;

export type Authenticator = {
  authenticate: Authenticate;
  authority: Authority;
  clientTokens: ClientTokens;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Turns keys and sessions into scopes; those seen before are answered from memory. */
export function createAuthenticator(
  database: Database,
  signal: Signal,
  now: Clock,
  vouching: Voucher = createVouching(),
): Authenticator {
  const cache = createEntryCache<Scope>({ signal, now, read });
  const sessions = createSessionAuthenticator(database, signal, now, vouching);
  const authority = createAuthority(database, signal, now, vouching);
  const clientTokens = createClientTokens(database, authority, now);
  const lastUses = new Set<string>();
  let irregular = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function read(hash: string): Promise<Scope | undefined> {
    const row = await findKeyWithOwner(database.db, 'hash', hash);
    const found = row && (await readKeyScope(database.db, row));
    return typeof found === 'string' ? undefined : found;
  }

  async function loadIrregular(): Promise<void> {
    irregular = new Set(await listIrregularHashes(database.db));
  }

  // Irregular keys are only added at a first start, so the old set serves until this read ends.
  signal.onChange(loadIrregular);

  function admit(scope: Scope | undefined, kind: Surface): Scope | undefined {
    if (!scope || scope.kind !== kind || isExpired(scope, now)) return undefined;
    lastUses.add(scope.key_id);
    return scope;
  }

  async function flushLastUses(): Promise<void> {
    await sessions.flush();
    const ids = [...lastUses];
    lastUses.clear();
    if (ids.length === 0) return;
    const usedAt = isoMicros(now);
    await database.transaction(async (tx) => {
      for (const id of ids) await updateLastUsedAt(tx, id, usedAt);
    });
  }

  return {
    authority,
    clientTokens,
    authenticate(credentials, asked) {
      const surface = asked === 'live' ? 'standard' : asked;
      if (credentials.browser) return sessions.authenticate(credentials.browser, surface);
      if (asked === 'live') {
        const token = keyValueOf(credentials);
        if (clientTokens.isToken(token)) return clientTokens.scopeOf(token);
      }
      credentials.hash ??= hashOf(credentials);
      const { hash } = credentials;
      if (hash === undefined) return undefined;
      const cached = cache.find(hash);
      if (cached) return admit(cached, surface);
      if (!isWellFormed(keyValueOf(credentials) ?? '') && !irregular.has(hash)) return undefined;
      return cache.load(hash).then((entry) => admit(entry, surface));
    },
    async start() {
      await loadIrregular();
      // The time of a last use may be lost while the database is away.
      timer = setInterval(() => void flushLastUses().catch(() => undefined), LAST_USE_FLUSH_MS);
      timer.unref();
      authority.start();
    },
    async stop() {
      clearInterval(timer);
      await authority.stop();
      await flushLastUses().catch(() => undefined);
    },
  };
}

/** The key value of a request, valid or not. */
export function keyValueOf({ authorization, apiKey }: Credentials): string | undefined {
  if (authorization === undefined) return apiKey;
  return BEARER.exec(authorization)?.[1];
}

function isExpired({ expires_at_ms }: Scope, now: Clock): boolean {
  return expires_at_ms !== undefined && expires_at_ms <= now();
}

function hashOf(credentials: Credentials): string | undefined {
  const value = keyValueOf(credentials);
  return value === undefined ? undefined : hashKey(value);
}
