import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { type Metering, toLimits } from '../../metering/index.ts';
import { callerOf, type TenantService } from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import type { ConsoleKey, ConsoleKeyCreate, ConsoleNewKey, ConsoleStandardKeyCreate } from '../schema/keys.ts';

export type KeyAdministration = ReturnType<typeof createKeyAdministration>;

/** A user's own keys in the workspace, and the admin keys of the organization. */
export function createKeyAdministration(deps: { tenants: TenantService; database: Database; metering: Metering }) {
  const { database, metering } = deps;
  const { keys } = deps.tenants;

  async function listOwn({ organization_id, workspace_id, user_id }: Scope) {
    const all = await keys.listOfUser(organization_id, user_id);
    return all.filter((key) => key.workspace_id === workspace_id);
  }

  return {
    list: async (scope: Scope) => ({ keys: (await listOwn(scope)).map(describeKey) }),
    async create(scope: Scope, given: ConsoleStandardKeyCreate): Promise<ConsoleNewKey> {
      const { name, expires_at: expiresAt = null, allowed_models, allowed_tools, limits } = given;
      const { workspace_id: workspaceId, user_id: userId } = scope;
      const allowed = { allowedModels: allowed_models ?? undefined, allowedTools: allowed_tools ?? undefined };
      const input = { workspaceId, userId, name, expiresAt, ...allowed };
      const created = await keys.createStandard(callerOf(scope), input);
      const target = { scope: { kind: 'key' as const, id: created.id }, workspace_id: workspaceId, ...callerOf(scope) };
      if (limits) await database.transaction((tx) => metering.setLimits(tx, { ...target, limits: toLimits(limits) }));
      return { ...describeKey({ ...created, state: 'active' }), value: created.value };
    },
    async revoke(scope: Scope, id: string): Promise<undefined> {
      if (!(await listOwn(scope)).some((key) => key.id === id)) throw consoleErrors.key_not_found(id);
      await keys.revokeStandard(callerOf(scope), id);
    },
    async listAdmin({ organization_id }: Scope) {
      const all = await keys.list(organization_id);
      return { keys: all.filter(({ kind, state }) => kind === 'admin' && state !== 'revoked').map(describeKey) };
    },
    async createAdmin(scope: Scope, { name, expires_at = null }: ConsoleKeyCreate): Promise<ConsoleNewKey> {
      const created = await keys.createAdmin(callerOf(scope), { name, expiresAt: expires_at });
      return { ...describeKey({ ...created, state: 'active' }), value: created.value };
    },
    async revokeAdmin(scope: Scope, id: string): Promise<undefined> {
      await keys.revokeAdmin(callerOf(scope), id);
    },
  };
}

type Described = Omit<ConsoleKey, 'ends_with' | 'state' | 'allowed_models' | 'allowed_tools'> & {
  hint: string;
  state: 'active' | 'expired' | 'revoked';
  /** Both JSON. */
  allowed_models: string | null;
  allowed_tools: string | null;
};

export function describeKey(key: Described): ConsoleKey {
  const { id, name, hint, created_at, expires_at, last_used_at, state } = key;
  const list = (text: string | null) => (text === null ? null : (JSON.parse(text) as string[]));
  const allowed = { allowed_models: list(key.allowed_models), allowed_tools: list(key.allowed_tools) };
  const shown = state === 'expired' ? 'expired' : 'active';
  return { id, name, ends_with: hint, created_at, expires_at, last_used_at, ...allowed, state: shown };
}
