import type { AuditService } from '../audit/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database, Signal, Tx } from '../kit/db/index.ts';
import { hashKey, hintOf, isWellFormed, type KeyKind, makeKey } from './key-format.ts';
import { OPERATOR } from './operator.ts';
import { findKey, findKeyByHash, insertKey, listKeys, updateRevokedAt } from './store/keys.ts';
import type { KeyRow, OrganizationRow, UserRow, WorkspaceRow } from './store/tables.ts';

/** `value` is given once, to whoever made the key; only its hash is kept. */
export type NewKey = { id: string; value: string };

type Standard = {
  organization: OrganizationRow;
  workspace: WorkspaceRow;
  user: UserRow;
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

export type KeyService = {
  insertStandard(tx: Tx, input: Standard): Promise<NewKey>;
  insertAdmin(tx: Tx, input: Admin): Promise<NewKey>;
  list(organizationId?: string): ReturnType<typeof listKeys>;
  /** Whether the platform has a key with this value, revoked or not. */
  isKnown(value: string): Promise<boolean>;
  /** `undefined` when there is no such key; revoking twice changes nothing. */
  revoke(id: string): Promise<KeyRow | undefined>;
};

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
  async function insert(tx: Tx, kind: KeyKind, input: Admin & Partial<Standard>): Promise<NewKey> {
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
    await record(tx, row, kind === 'admin' ? 'admin_api_key.created' : 'api_key.create');
    await keysSignal.raise(tx);
    return { id: row.id, value };
  }

  function record(
    tx: Tx,
    row: KeyRow,
    event_type: 'admin_api_key.created' | 'admin_api_key.delete' | 'api_key.create' | 'api_key.delete',
  ) {
    return audit.record(tx, {
      organization_id: row.organization_id,
      workspace_id: row.workspace_id,
      actor: OPERATOR,
      event_type,
      target_type: row.kind === 'admin' ? 'ADMIN_API_KEY' : 'API_KEY',
      target_metadata: { id: row.id, name: row.name ?? '', ends_with: row.hint },
    });
  }

  return {
    insertStandard: (tx, input) => insert(tx, 'standard', input),
    insertAdmin: (tx, { organization, name, value, expiresAt = null }) =>
      insert(tx, 'admin', { organization, name, value, expiresAt }),
    list: (organizationId) => listKeys(database.db, organizationId),
    isKnown: async (value) => (await findKeyByHash(database.db, hashKey(value))) !== undefined,
    revoke: (id) =>
      database.transaction(async (tx) => {
        const key = await findKey(tx, id);
        if (!key || key.revoked_at !== null) return key;
        await updateRevokedAt(tx, id, isoMicros(now));
        await record(tx, key, key.kind === 'admin' ? 'admin_api_key.delete' : 'api_key.delete');
        await keysSignal.raise(tx);
        return findKey(tx, id);
      }),
  };
}
