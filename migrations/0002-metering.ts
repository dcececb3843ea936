import type { Migration } from '../src/kit/db/index.ts';

export const metering: Migration = {
  name: '0002-metering',
  oldestProgram: '0.1.0',
  up: ({ text, bigint, number }) => [
    // No foreign keys: usage stays in the ledger after its key or workspace is deleted.
    `create table usage_records (
      id ${text} primary key,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      key_id ${text} not null,
      user_id ${text} not null,
      request_id ${text} not null,
      model ${text} not null,
      kind ${text} not null,
      prompt_tokens ${bigint} not null,
      completion_tokens ${bigint} not null,
      cached_tokens ${bigint} not null,
      cost_micros ${bigint} not null,
      status integer not null,
      latency_ms ${bigint} not null,
      created_at ${text} not null
    )`,
    'create index usage_records_by_age on usage_records (created_at)',

    `create table usage_daily (
      organization_id ${text} not null,
      day ${text} not null,
      workspace_id ${text} not null,
      key_id ${text} not null,
      model ${text} not null,
      kind ${text} not null,
      requests ${bigint} not null,
      prompt_tokens ${bigint} not null,
      completion_tokens ${bigint} not null,
      cached_tokens ${bigint} not null,
      cost_micros ${bigint} not null,
      primary key (organization_id, day, workspace_id, key_id, model, kind)
    )`,
    'create index usage_daily_by_workspace on usage_daily (workspace_id, day)',
    'create index usage_daily_by_key on usage_daily (key_id, day)',

    `create table limits (
      scope_kind ${text} not null,
      scope_id ${text} not null,
      requests_per_second ${bigint},
      tokens_per_minute ${bigint},
      monthly_budget_micros ${bigint},
      updated_at ${text} not null,
      primary key (scope_kind, scope_id)
    )`,

    `create table rate_buckets (
      id ${text} primary key,
      tokens ${number} not null,
      granted ${number} not null,
      updated_ms ${bigint} not null
    )`,
  ],
};
