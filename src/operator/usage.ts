import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { toTotals, type UsageDimension, type UsageQuery } from '../metering/index.ts';
import { createOperatorMetering, type ScopeSelector } from './limits.ts';

/** What usage can be grouped by, and the column of each. */
const COLUMNS = {
  day: 'day',
  month: 'month',
  model: 'model',
  kind: 'kind',
  workspace: 'workspace_id',
  key: 'key_id',
} as const satisfies Record<string, UsageDimension>;
export type UsageGroup = keyof typeof COLUMNS;
export const usageGroups = Object.keys(COLUMNS) as UsageGroup[];

type Totals = ReturnType<typeof toTotals>;
export type UsageReport = {
  organization: { id: string; name: string };
  from: string;
  to: string;
  /** Workspaces and keys by id; `names` has their names. */
  rows: (Totals & Partial<Record<UsageGroup, string>>)[];
  total: Totals;
  names: Record<string, string>;
};

export type UsageRequest = ScopeSelector & {
  /** Days in UTC, both included. */
  from: string;
  to: string;
  by: readonly UsageGroup[];
  model?: string | undefined;
};

/** The usage of an organization, or of a part of it. The last second may not be flushed yet. */
export async function reportUsage(platform: Platform, config: Config, request: UsageRequest): Promise<UsageReport> {
  const { database, tenants } = platform;
  const { from, to, by } = request;
  const organization = await tenants.chooseOrganization(request.organization);
  const metering = createOperatorMetering(platform, config);
  const query = { from, to, only: await findFilters(platform, organization.id, request) };
  const [rows, [total]] = await Promise.all([
    metering.usage(database.db, organization.id, { ...query, groupBy: by.map((group) => COLUMNS[group]) }),
    metering.usage(database.db, organization.id, { ...query, groupBy: [] }),
  ]);
  return {
    organization: { id: organization.id, name: organization.name },
    from,
    to,
    rows: rows.map((row) => ({
      ...Object.fromEntries(by.map((group) => [group, row[COLUMNS[group]] ?? ''])),
      ...toTotals(row),
    })),
    total: toTotals(total),
    names: await listNames(platform, organization.id),
  };
}

async function findFilters({ tenants }: Platform, organization: string, { workspace, key, model }: UsageRequest) {
  const only: NonNullable<UsageQuery['only']> = {};
  if (model !== undefined) only.model = model;
  if (workspace !== undefined) only.workspace_id = (await tenants.chooseWorkspace({ organization, workspace })).id;
  if (key !== undefined) only.key_id = (await tenants.keys.choose(key, organization)).id;
  return only;
}

async function listNames({ tenants }: Platform, organizationId: string): Promise<Record<string, string>> {
  const workspaces = await tenants.listWorkspaces(organizationId);
  const keys = await tenants.keys.list(organizationId);
  return Object.fromEntries([
    ...workspaces.map(({ id, name }) => [id, name]),
    ...keys.map(({ id, name, hint }) => [id, name ?? `…${hint}`]),
  ]);
}
