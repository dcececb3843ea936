import type { Database } from '../../kit/db/index.ts';
import { notFound, type Scope } from '../../kit/http/index.ts';
import type { LimitScope, Limits, Metering } from '../../metering/index.ts';
import { callerOf, type TenantService } from '../../tenants/index.ts';
import type { ConsoleLimits, ConsoleLimitsChange, LimitParams } from '../schema/usage.ts';

const MICROS = 1_000_000;

type NamedScope = LimitScope & { name: string; workspace_id: string | null };

/** The limits of an organization, its workspaces and its keys, for its admins. */
export function createLimitAdministration(deps: { database: Database; tenants: TenantService; metering: Metering }) {
  const { database, tenants, metering } = deps;

  async function scopesOf({ organization_id, identity }: Scope): Promise<NamedScope[]> {
    const workspaces = await tenants.listWorkspaces(organization_id);
    const keys = await tenants.keys.list(organization_id);
    const name = identity.organization?.name ?? '';
    return [
      { kind: 'organization', id: organization_id, name, workspace_id: null },
      ...workspaces.map(({ id, name }) => ({ kind: 'workspace', id, name, workspace_id: id }) as const),
      ...keys
        .filter(({ kind, state }) => kind === 'standard' && state !== 'revoked')
        .map(
          ({ id, name, hint, workspace_id }) => ({ kind: 'key', id, name: name ?? `…${hint}`, workspace_id }) as const,
        ),
    ];
  }

  async function describe(scope: NamedScope, isOwn: boolean): Promise<ConsoleLimits> {
    const { monthly_budget_micros, ...rates } = await metering.getLimits(database.db, scope);
    return {
      scope: scope.kind,
      id: scope.id,
      name: scope.name,
      ...rates,
      monthly_budget: monthly_budget_micros === null ? null : monthly_budget_micros / MICROS,
      spent: (await metering.spent(database.db, scope)) / MICROS,
      from: isOwn ? 'own' : 'file',
    };
  }

  async function find(scope: Scope, { scope: kind, id }: LimitParams): Promise<NamedScope> {
    const found = (await scopesOf(scope)).find((one) => one.kind === kind && one.id === id);
    if (!found) throw notFound(kind, id);
    return found;
  }

  function changeOf(by: Scope, { kind, id, workspace_id }: NamedScope) {
    return { scope: { kind, id }, workspace_id, ...callerOf(by) };
  }

  return {
    async list(scope: Scope): Promise<{ scopes: ConsoleLimits[] }> {
      const own = new Set((await metering.listOwnLimits(database.db)).map(({ kind, id }) => `${kind} ${id}`));
      const isOwn = ({ kind, id }: NamedScope) => own.has(`${kind} ${id}`);
      const shown = (await scopesOf(scope)).filter((one) => one.kind !== 'key' || isOwn(one));
      const scopes: ConsoleLimits[] = [];
      for (const one of shown) scopes.push(await describe(one, isOwn(one)));
      return { scopes };
    },
    async set(scope: Scope, params: LimitParams, change: ConsoleLimitsChange): Promise<ConsoleLimits> {
      const { monthly_budget, requests_per_second, tokens_per_minute } = change;
      const found = await find(scope, params);
      const limits: Partial<Limits> = {
        ...(requests_per_second !== undefined && { requests_per_second }),
        ...(tokens_per_minute !== undefined && { tokens_per_minute }),
        ...(monthly_budget !== undefined && {
          monthly_budget_micros: monthly_budget === null ? null : Math.round(monthly_budget * MICROS),
        }),
      };
      await database.transaction((tx) => metering.setLimits(tx, { ...changeOf(scope, found), limits }));
      return describe(found, true);
    },
    async clear(scope: Scope, params: LimitParams): Promise<undefined> {
      const found = await find(scope, params);
      await database.transaction((tx) => metering.clearLimits(tx, changeOf(scope, found)));
    },
  };
}
