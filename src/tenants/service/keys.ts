import type { AuditActor, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Database, Signal, Tx } from '../../kit/db/index.ts';
import { badRequest, conflict, notFound } from '../../kit/http/index.ts';
import type { By } from '../caller.ts';
import { choose } from '../choose-by-id-or-name.ts';
import { chooseHolder, refusePowerless } from '../choose-key-owner.ts';
import { hashKey, hintOf, isWellFormed, type KeyKind, makeKey } from '../make-key.ts';
import { OPERATOR } from '../operator.ts';
import {
  findKey,
  findKeyByHash,
  insertKey,
  listKeyPage,
  listKeys,
  listKeysOfUser,
  updateRevokedAt,
} from '../store/keys.ts';
import { findMember } from '../store/members.ts';
import { findOrganization } from '../store/organizations.ts';
import type { KeyRow, OrganizationRow, UserRow, WorkspaceRow } from '../store/tables.ts';
import { findWorkspace } from '../store/workspaces.ts';

/** `value` is given once, to whoever made the key; only its hash is kept. */
export type NewKey = { id: string; value: string };

type Standard = {
  organization: OrganizationRow;
  workspace: Pick<WorkspaceRow, 'id'>;
  user: Pick<UserRow, 'id'>;
  name: string | null;
  value?: string | undefined;
  expiresAt?: string | null;
};
type Admin = {
  organization: OrganizationRow;
  name: string | null;
  value?: string | undefined;
  expiresAt?: string | null;
};

/** Organization and workspace by id or name, the user by email; what has only one answer may be left out. */
export type KeyRequest = {
  kind: KeyKind;
  name?: string | undefined;
  organization?: string | undefined;
  workspace?: string | undefined;
  user?: string | undefined;
  expiresAt?: string | undefined;
};
export type CreatedKey = NewKey & {
  organization: OrganizationRow;
  workspace: { id: string; name: string } | null;
  user: { id: string; email: string } | null;
};

export type KeyState = 'active' | 'expired' | 'revoked';
export type KeySummary = Omit<Awaited<ReturnType<typeof listKeys>>[number], 'hash' | 'is_irregular'> & {
  state: KeyState;
};

export type KeyService = {
  insertStandard(tx: Tx, input: Standard): Promise<NewKey>;
  insertAdmin(tx: Tx, input: Admin): Promise<NewKey>;
  create(request: KeyRequest): Promise<CreatedKey>;
  /** Oldest first; never a value or a hash. */
  list(organizationId?: string): Promise<KeySummary[]>;
  /** The standard key with this id, or the active one with this name. */
  choose(idOrName: string, organizationId?: string): Promise<KeySummary>;
  /** Whether the platform has a key with this value, revoked or not. */
  isKnown(value: string): Promise<boolean>;
  /** `undefined` when there is no such key; revoking twice changes nothing. */
  revoke(id: string): Promise<KeyRow | undefined>;
  /** Standard keys of the organization that are not revoked, oldest first. */
  listPage(organizationId: string, query: KeyQuery): Promise<KeyPage>;
  /** For a member in a workspace of the organization, both by id. */
  createFor(by: By, input: KeyFor): Promise<KeyRow & { value: string }>;
  /** Throws 404 when the organization has no such standard key in use. */
  revokeIn(by: By, id: string): Promise<KeyRow>;
  /** The keys of a user in the organization that are not revoked, oldest first. */
  listOf(organizationId: string, userId: string): Promise<(KeyRow & { state: KeyState })[]>;
  /** An admin key of the organization. */
  createAdmin(by: By, input: Pick<KeyFor, 'name' | 'expiresAt'>): Promise<KeyRow & { value: string }>;
  /** Throws 404 when the organization has no such admin key in use. */
  revokeAdmin(by: By, id: string): Promise<KeyRow>;
  /** All keys of a user in the organization, in the transaction in which they leave it. */
  revokeOf(tx: Tx, by: By, userId: string): Promise<void>;
  /** Whose key this is, of whatever kind and even if it has ended: for the log of refusals. */
  identify(value: string): Promise<KeyRow | undefined>;
};

export type KeyQuery = { name?: string | undefined; offset: number; limit: number };
export type KeyPage = Awaited<ReturnType<typeof listKeyPage>>;
export type KeyFor = { workspaceId: string; userId: string; name: string | null; expiresAt: string | null };

export function createKeyService({
  database,
  audit,
  keysSignal,
  now,
}: {
  database: Database;
  audit: AuditService;
  keysSignal: Signal;
  now: Clock;
}): KeyService {
  async function insert(
    tx: Tx,
    kind: KeyKind,
    input: Admin & Partial<Standard>,
    actor: AuditActor = OPERATOR,
  ): Promise<KeyRow & NewKey> {
    const value = input.value ?? makeKey(kind);
    const row: KeyRow = {
      id: uuid(),
      kind,
      organization_id: input.organization.id,
      workspace_id: input.workspace?.id ?? null,
      user_id: input.user?.id ?? null,
      name: input.name,
      hash: hashKey(value),
      hint: hintOf(value),
      is_irregular: !isWellFormed(value),
      created_at: isoMicros(now),
      expires_at: input.expiresAt ?? null,
      revoked_at: null,
      last_used_at: null,
    };
    await insertKey(tx, row);
    await record(tx, row, kind === 'admin' ? 'admin_api_key.created' : 'api_key.create', actor);
    keysSignal.raise(tx);
    return { ...row, value };
  }

  function record(
    tx: Tx,
    row: KeyRow,
    event_type: 'admin_api_key.created' | 'admin_api_key.delete' | 'api_key.create' | 'api_key.delete',
    actor: AuditActor,
  ) {
    return audit.record(tx, {
      organization_id: row.organization_id,
      workspace_id: row.workspace_id,
      actor,
      event_type,
      target_type: row.kind === 'admin' ? 'ADMIN_API_KEY' : 'API_KEY',
      target_metadata: { id: row.id, name: row.name ?? '', ends_with: row.hint },
    });
  }

  async function end(tx: Tx, row: KeyRow, actor: AuditActor): Promise<void> {
    await updateRevokedAt(tx, row.id, isoMicros(now));
    await record(tx, row, row.kind === 'admin' ? 'admin_api_key.delete' : 'api_key.delete', actor);
    keysSignal.raise(tx);
  }

  function revokeOfKind(kind: KeyKind, by: By, id: string): Promise<KeyRow> {
    return database.transaction(async (tx) => {
      const key = await findKey(tx, id);
      const isOurs = key?.organization_id === by.organization_id && key.kind === kind;
      if (!isOurs || key.revoked_at !== null) throw notFound(kind === 'admin' ? 'admin key' : 'API key', id);
      await end(tx, key, by.actor);
      return key;
    });
  }

  function refuseEnded(expiresAt: string | null | undefined): void {
    if (expiresAt && Date.parse(expiresAt) <= now())
      throw badRequest(`The key would have expired already, at ${expiresAt}. Choose a time to come.`);
  }

  async function list(organizationId?: string): Promise<KeySummary[]> {
    const rows = await listKeys(database.db, organizationId);
    return rows.map(({ hash: _, is_irregular: __, ...row }) => ({ ...row, state: stateOf(row, now()) }));
  }

  return {
    insertStandard: (tx, input) => insert(tx, 'standard', input),
    insertAdmin: (tx, { organization, name, value, expiresAt = null }) =>
      insert(tx, 'admin', { organization, name, value, expiresAt }),
    create: ({ kind, name, expiresAt, ...wanted }) =>
      database.transaction(async (tx) => {
        refuseEnded(expiresAt);
        const holder = await chooseHolder(tx, kind, wanted);
        const input = { organization: holder.organization, name: name?.trim() || null, expiresAt: expiresAt ?? null };
        const { id, value } = await insert(tx, kind, {
          ...input,
          ...(holder.workspace && { workspace: holder.workspace }),
          ...(holder.user && { user: holder.user }),
        });
        return { id, value, ...holder };
      }),
    list,
    async choose(idOrName, organizationId) {
      const keys = (await list(organizationId)).filter(({ kind }) => kind === 'standard');
      // A key that replaced another often has its name.
      const candidates = keys.filter(({ id, state }) => state === 'active' || id === idOrName);
      const named = candidates.map((key) => ({ id: key.id, name: key.name ?? `…${key.hint}`, key }));
      return choose('key', named, idOrName).key;
    },
    isKnown: async (value) => (await findKeyByHash(database.db, hashKey(value))) !== undefined,
    revoke: (id) =>
      database.transaction(async (tx) => {
        const key = await findKey(tx, id);
        if (!key || key.revoked_at !== null) return key;
        await end(tx, key, OPERATOR);
        return findKey(tx, id);
      }),
    listPage: (organizationId, query) => listKeyPage(database.db, organizationId, query),
    createFor: (by, { workspaceId, userId, name, expiresAt }) =>
      database.transaction(async (tx) => {
        refuseEnded(expiresAt);
        const organization = await findOrganization(tx, by.organization_id);
        const workspace = await findWorkspace(tx, by.organization_id, workspaceId);
        const user = await findMember(tx, by.organization_id, userId);
        if (!organization || !workspace) throw notFound('workspace', workspaceId);
        if (workspace.archived_at !== null) throw conflict(`The workspace '${workspace.name}' is archived.`);
        if (!user) throw notFound('user', userId);
        await refusePowerless(tx, workspace, user);
        return insert(
          tx,
          'standard',
          { organization, workspace, user, name: name?.trim() || null, expiresAt },
          by.actor,
        );
      }),
    listOf: async (organizationId, userId) =>
      (await listKeysOfUser(database.db, organizationId, userId)).map((row) => ({
        ...row,
        state: stateOf(row, now()),
      })),
    createAdmin: (by, { name, expiresAt }) =>
      database.transaction(async (tx) => {
        refuseEnded(expiresAt);
        const organization = await findOrganization(tx, by.organization_id);
        if (!organization) throw notFound('organization', by.organization_id);
        return insert(tx, 'admin', { organization, name: name?.trim() || null, expiresAt }, by.actor);
      }),
    revokeAdmin: (by, id) => revokeOfKind('admin', by, id),
    revokeIn: (by, id) => revokeOfKind('standard', by, id),
    async revokeOf(tx, by, userId) {
      for (const key of await listKeysOfUser(tx, by.organization_id, userId)) await end(tx, key, by.actor);
    },
    identify: (value) => findKeyByHash(database.db, hashKey(value)),
  };
}

function stateOf({ revoked_at, expires_at }: Pick<KeyRow, 'revoked_at' | 'expires_at'>, nowMs: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? 'expired' : 'active';
}
