import { z } from 'zod';
import { queryList } from '../../kit/http/index.ts';
import { limitScopeKinds, usageDimensions } from '../../metering/index.ts';

/** Hours of more days than these are too many rows for a page. */
const HOUR_DAYS_MAX = 8;
const DAY_MS = 86_400_000;

const UsageFilters = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date(),
  by: queryList(z.enum(usageDimensions)).default(['day']),
  workspace_id: z.string().max(64).optional(),
  key_id: z.string().max(64).optional(),
  model: z.string().max(255).optional(),
});
export const ConsoleUsageQuery = UsageFilters.refine(
  ({ from, to, by }) => !by.includes('hour') || Date.parse(to) - Date.parse(from) < HOUR_DAYS_MAX * DAY_MS,
  { path: ['by'], error: `hours are shown for at most ${HOUR_DAYS_MAX} days` },
);
export type ConsoleUsageQuery = z.infer<typeof ConsoleUsageQuery>;

const totals = {
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  cost: z.number(),
};
const part = z.string().optional();
const Row = z.object({
  /** `2026-01-31T09` in UTC. */
  hour: part,
  day: part,
  month: part,
  model: part,
  kind: part,
  workspace_id: part,
  key_id: part,
  user_id: part,
  ...totals,
});

export const ConsoleUsage = z.object({
  from: z.string(),
  to: z.string(),
  currency: z.string(),
  rows: z.array(Row),
  total: z.object(totals),
  /** Names of workspaces, keys and users by id. */
  names: z.record(z.string(), z.string()),
});
export type ConsoleUsage = z.infer<typeof ConsoleUsage>;

const limit = z.number().min(0).max(1e12).nullable();
export const LimitParams = z.strictObject({ scope: z.enum(limitScopeKinds), id: z.guid() });
export type LimitParams = z.infer<typeof LimitParams>;

export const ConsoleLimitsChange = z.strictObject({
  requests_per_second: limit.optional(),
  tokens_per_minute: limit.optional(),
  monthly_budget: limit.optional(),
  /** Of a workspace. */
  storage_mib: limit.optional(),
});
export type ConsoleLimitsChange = z.infer<typeof ConsoleLimitsChange>;

export const ConsoleLimits = z.object({
  scope: z.enum(limitScopeKinds),
  id: z.string(),
  name: z.string(),
  requests_per_second: z.number().nullable(),
  tokens_per_minute: z.number().nullable(),
  monthly_budget: z.number().nullable(),
  spent: z.number(),
  storage_bytes: z.number().nullable(),
  /** Measured where there is a limit. */
  stored_bytes: z.number().nullable(),
  from: z.enum(['own', 'file']),
});
export type ConsoleLimits = z.infer<typeof ConsoleLimits>;
export const ConsoleLimitsList = z.object({ scopes: z.array(ConsoleLimits) });
