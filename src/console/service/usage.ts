import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { type Metering, toTotals } from '../../metering/index.ts';
import { CONSOLE_ADMINISTER, type TenantService } from '../../tenants/index.ts';
import type { ConsoleUsage, ConsoleUsageQuery } from '../schema/usage.ts';

/** Admins see the usage of the organization, everybody else that of their workspace. */
export function createUsageReport(deps: {
  database: Database;
  tenants: TenantService;
  metering: Metering;
  currency: string;
}) {
  const { database, tenants, metering, currency } = deps;

  async function listNames(organizationId: string, ids: readonly string[]): Promise<Record<string, string>> {
    if (ids.length === 0) return {};
    const wanted = new Set(ids);
    const workspaces = await tenants.listWorkspaces(organizationId);
    const keys = await tenants.keys.list(organizationId);
    const found = [
      ...workspaces.map(({ id, name }) => [id, name] as const),
      ...keys.map(({ id, name, hint }) => [id, name ?? `…${hint}`] as const),
      ...(await tenants.members.emailsOf(organizationId, ids)).map(({ id, email }) => [id, email] as const),
    ];
    return Object.fromEntries(found.filter(([id]) => wanted.has(id)));
  }

  return {
    async read(scope: Scope, query: ConsoleUsageQuery): Promise<ConsoleUsage> {
      const { from, to, by, key_id, model } = query;
      const { organization_id } = scope;
      const workspace_id = scope.permissions.has(CONSOLE_ADMINISTER) ? query.workspace_id : scope.workspace_id;
      const only = {
        ...(workspace_id !== undefined && { workspace_id }),
        ...(key_id !== undefined && { key_id }),
        ...(model !== undefined && { model }),
      };
      await metering.flush();
      const rows = await metering.usage(database.db, organization_id, { from, to, groupBy: by, only });
      const [total] = await metering.usage(database.db, organization_id, { from, to, groupBy: [], only });
      const ids = new Set(rows.flatMap((row) => [row.workspace_id ?? [], row.key_id ?? [], row.user_id ?? []].flat()));
      return {
        from,
        to,
        currency,
        rows: rows.map((row) => ({
          ...Object.fromEntries(by.map((dimension) => [dimension, row[dimension]])),
          ...toTotals(row),
        })),
        total: toTotals(total),
        names: await listNames(organization_id, [...ids]),
      };
    },
  };
}
