import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import type { UsageDimension, UsageQuery, UsageTotals } from '../metering/index.ts';
import { MICROS, openOperatorMetering, type ScopeWords } from './limits.ts';

/** What usage can be told apart by, and the column that has it. */
const COLUMNS = {
  day: 'day',
  month: 'month',
  model: 'model',
  kind: 'kind',
  workspace: 'workspace_id',
  key: 'key_id',
} as const satisfies Record<string, UsageDimension>;
export type UsagePart = keyof typeof COLUMNS;
export const usageParts = Object.keys(COLUMNS) as UsagePart[];

/** In units of the currency. */
type Totals = Omit<UsageTotals, 'cost_micros'> & { cost: number };
export type UsageReport = {
  organization: { id: string; name: string };
  from: string;
  to: string;
  /** Of workspaces and keys the id; `names` has what they are called. */
  rows: (Totals & Partial<Record<UsagePart, string>>)[];
  total: Totals;
  names: Record<string, string>;
};

export type UsageQuestion = ScopeWords & {
  /** Days in UTC, both included. */
  from: string;
  to: string;
  by: readonly UsagePart[];
  model?: string | undefined;
};

/** What an organization, or a part of it, used. The last second may not be in the books yet. */
export async function readUsage(platform: Platform, config: Config, question: UsageQuestion): Promise<UsageReport> {
  const { database, tenants } = platform;
  const { from, to, by } = question;
  const organization = await tenants.chooseOrganization(question.organization);
  const metering = openOperatorMetering(platform, config);
  const query = { from, to, only: await narrow(platform, organization.id, question) };
  const [rows, [total]] = await Promise.all([
    metering.usage(database.db, organization.id, { ...query, groupBy: by.map((part) => COLUMNS[part]) }),
    metering.usage(database.db, organization.id, { ...query, groupBy: [] }),
  ]);
  return {
    organization: { id: organization.id, name: organization.name },
    from,
    to,
    rows: rows.map((row) => ({
      ...Object.fromEntries(by.map((part) => [part, row[COLUMNS[part]] ?? ''])),
      ...inCurrency(row),
    })),
    total: inCurrency(total ?? NOTHING),
    names: await namesOf(platform, organization.id),
  };
}

const NOTHING: UsageTotals = { requests: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_micros: 0 };

function inCurrency({ requests, prompt_tokens, completion_tokens, cached_tokens, cost_micros }: UsageTotals): Totals {
  return { requests, prompt_tokens, completion_tokens, cached_tokens, cost: cost_micros / MICROS };
}

async function narrow({ tenants }: Platform, organization: string, { workspace, key, model }: UsageQuestion) {
  const only: NonNullable<UsageQuery['only']> = {};
  if (model !== undefined) only.model = model;
  if (workspace !== undefined) only.workspace_id = (await tenants.chooseWorkspace({ organization, workspace })).id;
  if (key !== undefined) only.key_id = (await tenants.keys.choose(key, organization)).id;
  return only;
}

async function namesOf({ tenants }: Platform, organizationId: string): Promise<Record<string, string>> {
  const workspaces = await tenants.listWorkspaces(organizationId);
  const keys = await tenants.keys.list(organizationId);
  return Object.fromEntries([
    ...workspaces.map(({ id, name }) => [id, name]),
    ...keys.map(({ id, name, hint }) => [id, name ?? `…${hint}`]),
  ]);
}
