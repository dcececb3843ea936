import type { Scope } from '../../kit/http/index.ts';
import { callerOf, type TenantService } from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import type { ConsoleKeyCreate, ConsoleNewKey } from '../schema/keys.ts';
import { describeKey } from './keys.ts';

/** The keys of a service account, for those who administer it. */
export function createServiceAccountKeys({ keys, serviceAccounts }: TenantService) {
  async function listOf(scope: Scope, accountId: string) {
    const { id, organization_id } = await serviceAccounts.get(scope, accountId);
    return keys.listOfUser(organization_id, id);
  }
  return {
    list: async (scope: Scope, accountId: string) => ({ keys: (await listOf(scope, accountId)).map(describeKey) }),
    async create(scope: Scope, accountId: string, given: ConsoleKeyCreate): Promise<ConsoleNewKey> {
      const { id: userId, workspace_id: workspaceId } = await serviceAccounts.get(scope, accountId);
      const input = { workspaceId, userId, name: given.name, expiresAt: given.expires_at ?? null };
      const created = await keys.createStandard(callerOf(scope), input);
      return { ...describeKey({ ...created, state: 'active' }), value: created.value };
    },
    async revoke(scope: Scope, accountId: string, id: string): Promise<undefined> {
      if (!(await listOf(scope, accountId)).some((key) => key.id === id)) throw consoleErrors.key_not_found(id);
      await keys.revokeStandard(callerOf(scope), id);
    },
  };
}
