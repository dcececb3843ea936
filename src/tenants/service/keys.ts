import type { AuditActor } from '../../audit/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { type Caller, OPERATOR } from '../caller.ts';
import { chooseByIdOrName } from '../choose-by-id-or-name.ts';
import { chooseKeyOwner, type KeyOwner, refuseWithoutRole } from '../choose-key-owner.ts';
import { tenantErrors } from '../errors.ts';
import { hashKey, hintOf, isWellFormed, makeKey } from '../make-key.ts';
import type { KeyKind } from '../schema.ts';
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
import { findServiceAccount } from '../store/service-accounts.ts';
import type { KeyRow, OrganizationRow, UserRow, WorkspaceRow } from '../store/tables.ts';
import { findWorkspace } from '../store/workspaces.ts';
import type { TenantPorts } from './ports.ts';

/** `value` is returned once, by the call that makes the key; only its hash is stored. */
export type NewKey = { id: string; value: string };

type AdminInput = {
  organization: Pick<OrganizationRow, 'id'>;
  name: string | null;
  value?: string | undefined;
  expiresAt?: string | null | undefined;
};
type StandardInput = AdminInput & {
  workspace: Pick<WorkspaceRow, 'id'>;
  user: Pick<UserRow, 'id'>;
  allowedModels?: readonly string[] | undefined;
  allowedTools?: readonly string[] | undefined;
};

/** Organization and workspace by id or name, the user by email; where there is only one it may be left out. */
export type KeyRequest = {
  kind: KeyKind;
  name?: string | undefined;
  organization?: string | undefined;
  workspace?: string | undefined;
  user?: string | undefined;
  expiresAt?: string | undefined;
};
export type CreatedKey = NewKey & KeyOwner;

export type KeyState = 'active' | 'expired' | 'revoked';
export type KeySummary = Omit<Awaited<ReturnType<typeof listKeys>>[number], 'hash' | 'is_irregular'> & {
  state: KeyState;
};

export type KeyService = {
  insertStandard(tx: Tx, input: StandardInput): Promise<NewKey>;
  insertAdmin(tx: Tx, input: AdminInput): Promise<NewKey>;
  create(request: KeyRequest): Promise<CreatedKey>;
  /** Oldest first; never a value or a hash. */
  list(organizationId?: string): Promise<KeySummary[]>;
  /** The standard key with this id, or the active one with this name. */
  choose(idOrName: string, organizationId?: string): Promise<KeySummary>;
  /** Whether there is a key with this value, revoked or not. */
  isKnown(value: string): Promise<boolean>;
  /** `undefined` when there is no such key; revoking twice changes nothing. */
  revoke(id: string): Promise<KeyRow | undefined>;
  /** Standard keys of the organization that are not revoked, oldest first. */
  listPage(organizationId: string, query: KeyQuery): Promise<KeyPage>;
  /** For a member or a service account in a workspace of the organization, both by id. */
  createStandard(caller: Caller, input: StandardKeyInput): Promise<KeyRow & { value: string }>;
  /** Throws 404 when the organization has no such standard key in use. */
  revokeStandard(caller: Caller, id: string): Promise<KeyRow>;
  /** The keys of a user in the organization that are not revoked, oldest first. */
  listOfUser(organizationId: string, userId: string): Promise<(KeyRow & { state: KeyState })[]>;
  createAdmin(caller: Caller, input: Pick<StandardKeyInput, 'name' | 'expiresAt'>): Promise<KeyRow & { value: string }>;
  /** Throws 404 when the organization has no such admin key in use. */
  revokeAdmin(caller: Caller, id: string): Promise<KeyRow>;
  /** Revokes all keys of a user in the organization, in the transaction in which they leave it. */
  revokeOfUser(tx: Tx, caller: Caller, userId: string): Promise<void>;
  /** The key with this value, of any kind and even if it has ended: for the log of refusals. */
  identify(value: string): Promise<KeyRow | undefined>;
};

export type KeyQuery = { name?: string | undefined; offset: number; limit: number };
export type KeyPage = Awaited<ReturnType<typeof listKeyPage>>;
export type StandardKeyInput = {
  workspaceId: string;
  userId: string;
  name: string | null;
  expiresAt: string | null;
  /** The models that it may use, and the kinds of tools; left out, all. */
  allowedModels?: readonly string[] | undefined;
  allowedTools?: readonly string[] | undefined;
};

export function createKeyService({ database, audit, keysSignal, now, announce }: TenantPorts): KeyService {
  async function insert(
    tx: Tx,
    kind: KeyKind,
    input: AdminInput & Partial<StandardInput>,
    actor: AuditActor = OPERATOR,
  ): Promise<KeyRow & NewKey> {
    const { organization, workspace, user, name, expiresAt, allowedModels, allowedTools } = input;
    const value = input.value ?? makeKey(kind);
    const row: KeyRow = {
      id: uuid(),
      kind,
      organization_id: organization.id,
      workspace_id: workspace?.id ?? null,
      user_id: user?.id ?? null,
      name: name?.trim() || null,
      hash: hashKey(value),
      hint: hintOf(value),
      is_irregular: !isWellFormed(value),
      created_at: isoMicros(now),
      expires_at: expiresAt ?? null,
      revoked_at: null,
      last_used_at: null,
      allowed_models: allowedModels ? JSON.stringify(allowedModels) : null,
      allowed_tools: allowedTools ? JSON.stringify(allowedTools) : null,
    };
    await insertKey(tx, row);
    await record(tx, row, kind === 'admin' ? 'admin_api_key.created' : 'api_key.create', actor);
    await announce?.(tx, {
      type: 'key.created',
      organization_id: row.organization_id,
      workspace_id: row.workspace_id,
      data: { key_id: row.id, kind, user_id: row.user_id },
    });
    return { ...row, value };
  }

  function record(
    tx: Tx,
    row: KeyRow,
    event_type: 'admin_api_key.created' | 'admin_api_key.delete' | 'api_key.create' | 'api_key.delete',
    actor: AuditActor,
  ) {
    keysSignal.raise(tx);
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
  }

  function revokeOfKind(kind: KeyKind, { organization_id, actor }: Caller, id: string): Promise<KeyRow> {
    return database.transaction(async (tx) => {
      const key = await findKey(tx, id);
      if (key?.organization_id !== organization_id || key.kind !== kind || key.revoked_at !== null)
        throw kind === 'admin' ? tenantErrors.admin_key_not_found(id) : tenantErrors.api_key_not_found(id);
      await end(tx, key, actor);
      return key;
    });
  }

  function refusePastExpiry(expiresAt: string | null | undefined): void {
    if (expiresAt && Date.parse(expiresAt) <= now()) throw tenantErrors.key_expiry_in_past(expiresAt);
  }

  async function list(organizationId?: string): Promise<KeySummary[]> {
    const rows = await listKeys(database.db, organizationId);
    return rows.map(({ hash: _, is_irregular: __, ...row }) => ({ ...row, state: stateOf(row, now()) }));
  }

  return {
    insertStandard: (tx, input) => insert(tx, 'standard', input),
    // Named fields only: an admin key never has a workspace or a user.
    insertAdmin: (tx, { organization, name, value, expiresAt }) =>
      insert(tx, 'admin', { organization, name, value, expiresAt }),
    create: ({ kind, name = null, expiresAt, ...wanted }) =>
      database.transaction(async (tx) => {
        refusePastExpiry(expiresAt);
        const owner = await chooseKeyOwner(tx, kind, wanted);
        const { organization, workspace, user } = owner;
        const holder = workspace && user ? { workspace, user } : {};
        const { id, value } = await insert(tx, kind, { organization, ...holder, name, expiresAt });
        return { id, value, ...owner };
      }),
    list,
    async choose(idOrName, organizationId) {
      const keys = (await list(organizationId)).filter(({ kind }) => kind === 'standard');
      // A key often has the name of the revoked one that it replaces.
      const candidates = keys.filter(({ id, state }) => state === 'active' || id === idOrName);
      const named = candidates.map((key) => ({ id: key.id, name: key.name ?? `…${key.hint}`, key }));
      return chooseByIdOrName('key', named, idOrName).key;
    },
    isKnown: async (value) => (await findKeyByHash(database.db, hashKey(value))) !== undefined,
    revoke: (id) =>
      database.transaction(async (tx) => {
        const key = await findKey(tx, id);
        if (!key || key.revoked_at !== null) return key;
        await end(tx, key, OPERATOR);
        return findKey(tx, id);
      }),
    listPage: (organizationId, query) => listKeyPage(database, organizationId, query),
    createStandard: ({ organization_id, actor }, { workspaceId, userId, ...given }) =>
      database.transaction(async (tx) => {
        refusePastExpiry(given.expiresAt);
        const workspace = await findWorkspace(tx, organization_id, workspaceId);
        const account = await findServiceAccount(tx, organization_id, userId);
        const user = account ? { id: account.id, email: account.name } : await findMember(tx, organization_id, userId);
        if (!workspace) throw tenantErrors.workspace_not_found(workspaceId);
        if (workspace.archived_at !== null) throw tenantErrors.workspace_archived(workspace.name);
        if (!user) throw tenantErrors.user_not_found(userId);
        // The roles of a service account are often set after its first key; it has them in its own workspace only.
        if (account?.workspace_id !== workspace.id) await refuseWithoutRole(tx, workspace, user);
        const input = { ...given, organization: { id: organization_id }, workspace, user };
        return insert(tx, 'standard', input, actor);
      }),
    listOfUser: async (organizationId, userId) => {
      const rows = await listKeysOfUser(database.db, organizationId, userId);
      return rows.map((row) => ({ ...row, state: stateOf(row, now()) }));
    },
    createAdmin: ({ organization_id, actor }, { name, expiresAt }) =>
      database.transaction(async (tx) => {
        refusePastExpiry(expiresAt);
        const organization = await findOrganization(tx, organization_id);
        if (!organization) throw tenantErrors.organization_not_found(organization_id);
        return insert(tx, 'admin', { organization, name, expiresAt }, actor);
      }),
    revokeAdmin: (caller, id) => revokeOfKind('admin', caller, id),
    revokeStandard: (caller, id) => revokeOfKind('standard', caller, id),
    async revokeOfUser(tx, { organization_id, actor }, userId) {
      for (const key of await listKeysOfUser(tx, organization_id, userId)) await end(tx, key, actor);
    },
    identify: (value) => findKeyByHash(database.db, hashKey(value)),
  };
}

function stateOf({ revoked_at, expires_at }: Pick<KeyRow, 'revoked_at' | 'expires_at'>, nowMs: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? 'expired' : 'active';
}
