import type { LimitScopeKind, Limits, UsageTotals } from '../schema.ts';

export type UsageRecordRow = Omit<UsageTotals, 'requests'> & {
  id: string;
  organization_id: string;
  workspace_id: string;
  key_id: string;
  user_id: string;
  request_id: string;
  model: string;
  kind: string;
  status: number;
  latency_ms: number;
  created_at: string;
};

export type UsageDailyRow = UsageTotals & {
  organization_id: string;
  day: string;
  workspace_id: string;
  key_id: string;
  model: string;
  kind: string;
};

export type LimitsRow = Limits & { scope_kind: LimitScopeKind; scope_id: string; updated_at: string };

type RateBucketRow = { id: string; tokens: number; granted: number; updated_ms: number };

declare module '../../kit/db/tables.ts' {
  interface Tables {
    usage_records: UsageRecordRow;
    usage_daily: UsageDailyRow;
    limits: LimitsRow;
    rate_buckets: RateBucketRow;
  }
}
