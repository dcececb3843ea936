import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database, Signal } from '../../kit/db/index.ts';
import type { Authenticate, Credentials, Scope, Surface } from '../../kit/http/index.ts';
import { hashKey, isWellFormed } from '../make-key.ts';
import { ADMIN_PERMISSIONS, permissionsOf, planRefusal } from '../permissions.ts';
import { resolveRoles } from '../resolve-roles.ts';
import { findKeyWithOwner, listIrregularHashes, updateLastUsedAt } from '../store/keys.ts';
import { createSessionAuthenticator } from './authenticate-session.ts';
import { createEntryCache } from './cache-entries.ts';

const LAST_USE_FLUSH_MS = 10_000;
const BEARER = /^bearer +(\S+)$/i;

type Entry = { scope: Scope; expiresAtMs: number };

export type Authenticator = {
  authenticate: Authenticate;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Turns keys and sessions into scopes; those seen before are answered from memory. */
export function createAuthenticator(database: Database, signal: Signal, now: Clock): Authenticator {
  const cache = createEntryCache<Entry>({ signal, now, read: (hash) => readEntry(database, hash) });
  const sessions = createSessionAuthenticator(database, signal, now);
  const lastUses = new Set<string>();
  let irregular = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function loadIrregular(): Promise<void> {
    irregular = new Set(await listIrregularHashes(database.db));
  }

  // Irregular keys are only added at a first start, so the old set serves until this read ends.
  signal.onChange(loadIrregular);

  function admit(entry: Entry | undefined, kind: Surface): Scope | undefined {
    if (!entry || entry.scope.kind !== kind || entry.expiresAtMs <= now()) return undefined;
    lastUses.add(entry.scope.key_id);
    return entry.scope;
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
    authenticate(credentials, surface) {
      if (credentials.browser) return sessions.authenticate(credentials.browser, surface);
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
    },
    async stop() {
      clearInterval(timer);
      await flushLastUses().catch(() => undefined);
    },
  };
}

/** The key value of a request, valid or not. */
export function keyValueOf({ authorization, apiKey }: Credentials): string | undefined {
  if (authorization === undefined) return apiKey;
  return BEARER.exec(authorization)?.[1];
}

function hashOf(credentials: Credentials): string | undefined {
  const value = keyValueOf(credentials);
  return value === undefined ? undefined : hashKey(value);
}

async function readEntry(database: Database, hash: string): Promise<Entry | undefined> {
  const row = await findKeyWithOwner(database.db, hash);
  if (!row || row.revoked_at !== null || row.workspace_archived_at !== null) return undefined;
  const expiresAtMs = row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at);
  const organization = { id: row.organization_id, name: row.organization_name };
  const base = {
    kind: row.kind,
    key_id: row.id,
    organization_id: row.organization_id,
    plan: row.organization_plan,
    workspace_id: row.workspace_id ?? '',
    user_id: row.user_id ?? '',
    principal: `${row.workspace_id ?? row.organization_id}:${row.user_id ?? row.id}`,
    identity: {
      id: row.user_id ?? row.id,
      email: row.email,
      first_name: row.first_name,
      last_name: row.last_name,
      workspace: row.workspace_id === null ? null : { id: row.workspace_id, name: row.workspace_name ?? '' },
      organization,
      api_key: { id: row.id, name: row.name },
    },
  };
  if (row.kind === 'admin') {
    const refusal = planRefusal(row.organization_plan);
    return { scope: { ...base, permissions: ADMIN_PERMISSIONS, refusal }, expiresAtMs };
  }
  if (row.workspace_id === null || row.user_id === null) return undefined;
  const roles = await resolveRoles(database.db, row.organization_id, row.workspace_id, row.user_id);
  // The keys of a user who left the organization are no longer valid.
  if (roles.organization.length === 0) return undefined;
  return { scope: { ...base, permissions: permissionsOf(roles.workspace, roles.organization) }, expiresAtMs };
}
