import { callerOf, type Scope, type TenantService } from '../../tenants/index.ts';
import type { AdminCreateAPIKeyIN, APIKeyOUT, APIKeysExtendedOUT, KeysQuery } from '../schema/keys.ts';

/** Keys are not rotated: make a new key and delete the old one. */
const ACTIONS: APIKeyOUT['actions'] = {
  rotate: { status: 'unavailable', reason: 'not_allowed' },
  delete: { status: 'available' },
};

type Key = { id: string; name: string | null; hint: string; created_at: string; expires_at: string | null };

export function createKeyAdministration({ tenants }: { tenants: TenantService }) {
  const { keys } = tenants;
  return {
    async list(scope: Scope, { limit, offset, name }: KeysQuery): Promise<APIKeysExtendedOUT> {
      const rows = await keys.listPage(scope.organization_id, { name: name ?? undefined, limit, offset });
      return {
        keys: rows.map((row) => ({
          ...describe(row, null),
          workspace_id: row.workspace_id,
          workspace_name: row.workspace_name,
          created_by: row.email,
          product: 'API' as const,
          last_used: row.last_used_at?.slice(0, 10) ?? null,
          can_delete: true,
        })),
      };
    },
    async create(scope: Scope, { name, expiration, workspace_uuid, user_id }: AdminCreateAPIKeyIN): Promise<APIKeyOUT> {
      // The key is valid until the end of this day in UTC.
      const expiresAt = expiration ? `${expiration}T23:59:59.999Z` : null;
      const input = { workspaceId: workspace_uuid, userId: user_id, name: name ?? null, expiresAt };
      const key = await keys.createStandard(callerOf(scope), input);
      return describe(key, key.value);
    },
    async remove(scope: Scope, id: string) {
      const { hint } = await keys.revokeStandard(callerOf(scope), id);
      return { detail: `The key …${hint} is revoked.` };
    },
  };
}

function describe({ id, name, hint, created_at, expires_at }: Key, value: string | null): APIKeyOUT {
  return {
    key_id: id,
    key: value,
    name,
    hidden_key: `…${hint}`,
    created_at,
    expiration_date: expires_at?.slice(0, 10) ?? null,
    actions: ACTIONS,
  };
}
