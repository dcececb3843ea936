import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { Metering, UsageTotals } from '../../metering/index.ts';
import { CONSOLE_ADMINISTER, type TenantService } from '../../tenants/index.ts';
import type { ConsoleUsage, ConsoleUsageQuery } from '../schema/usage.ts';

const MICROS = 1_000_000;
const NOTHING: UsageTotals = { requests: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_micros: 0 };

/** What the organization used, to its admins; to everybody else what their workspace used. */
export function createUsageReport(deps: {
  database: Database;
  tenants: TenantService;
  metering: Metering;
  currency: string;
}) {
  const { database, tenants, metering, currency } = deps;

  async function namesOf(organizationId: string, ids: readonly string[]): Promise<Record<string, string>> {
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
      const { from, to, by, workspace_id, key_id, model } = query;
      const { organization_id } = scope;
      const seesAll = scope.permissions.has(CONSOLE_ADMINISTER);
      const place = seesAll ? workspace_id : scope.workspace_id;
      const only = {
        ...(place !== undefined && { workspace_id: place }),
        ...(key_id !== undefined && { key_id }),
        ...(model !== undefined && { model }),
      };
      await metering.flush();
      const rows = await metering.usage(database.db, organization_id, { from, to, groupBy: by, only });
      const [total] = await metering.usage(database.db, organization_id, { from, to, groupBy: [], only });
      const ids = new Set(rows.flatMap((row) => [row.workspace_id ?? [], row.key_id ?? []].flat()));
      return {
        from,
        to,
        currency,
        rows: rows.map(({ cost_micros, ...row }) => ({ ...row, cost: cost_micros / MICROS })),
        total: inCurrency(total ?? NOTHING),
        names: await namesOf(organization_id, [...ids]),
      };
    },
  };
}

function inCurrency({ cost_micros, ...totals }: UsageTotals) {
  return { ...totals, cost: cost_micros / MICROS };
}
