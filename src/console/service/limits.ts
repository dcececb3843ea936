import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { describeLimits, listLimitScopes, type Metering, type NamedScope, toLimits } from '../../metering/index.ts';
import { callerOf, type TenantService } from '../../tenants/index.ts';
import { consoleErrors } from '../errors.ts';
import type { ConsoleLimits, ConsoleLimitsChange, LimitParams } from '../schema/usage.ts';

/** The limits of an organization, its workspaces and its keys, for its admins. */
export function createLimitAdministration(deps: { database: Database; tenants: TenantService; metering: Metering }) {
  const { database, tenants, metering } = deps;

  function listScopes({ organization_id, identity }: Scope): Promise<NamedScope[]> {
    const organization = { id: organization_id, name: identity.organization?.name ?? '' };
    return listLimitScopes(tenants, organization, ({ kind, state }) => kind === 'standard' && state !== 'revoked');
  }

  async function find(scope: Scope, { scope: kind, id }: LimitParams): Promise<NamedScope> {
    const found = (await listScopes(scope)).find((one) => one.kind === kind && one.id === id);
    if (!found) throw consoleErrors.limit_scope_not_found(kind, id);
    return found;
  }

  function describeTarget(by: Scope, { kind, id, workspace_id }: NamedScope) {
    return { scope: { kind, id }, workspace_id, ...callerOf(by) };
  }

  return {
    async list(scope: Scope): Promise<{ scopes: ConsoleLimits[] }> {
      return { scopes: await describeLimits(metering, database.db, await listScopes(scope), { ownOnly: ['key'] }) };
    },
    async set(scope: Scope, params: LimitParams, change: ConsoleLimitsChange): Promise<ConsoleLimits> {
      const found = await find(scope, params);
      if (found.kind !== 'workspace' && change.storage_mib !== undefined) throw consoleErrors.storage_limit_fixed();
      const target = { ...describeTarget(scope, found), limits: toLimits(change) };
      await database.transaction((tx) => metering.setLimits(tx, target));
      const [described] = await describeLimits(metering, database.db, [found]);
      return described as ConsoleLimits;
    },
    async clear(scope: Scope, params: LimitParams): Promise<undefined> {
      const target = describeTarget(scope, await find(scope, params));
      const keepsStorage = params.scope === 'organization';
      await database.transaction((tx) => metering.clearLimits(tx, { ...target, keepsStorage }));
    },
  };
}
