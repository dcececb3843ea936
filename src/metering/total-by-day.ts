import type { UsageDailyRow, UsageRecordRow } from './store/tables.ts';

/** One row per key, model, kind and day, sorted by the primary key of `usage_daily`. */
export function totalByDay(records: readonly UsageRecordRow[]): UsageDailyRow[] {
  const totals = new Map<string, UsageDailyRow>();
  for (const record of records) {
    const total = totalOf(totals, record);
    total.requests++;
    total.prompt_tokens += record.prompt_tokens;
    total.completion_tokens += record.completion_tokens;
    total.cached_tokens += record.cached_tokens;
    total.cost_micros += record.cost_micros;
  }
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}

function totalOf(totals: Map<string, UsageDailyRow>, record: UsageRecordRow): UsageDailyRow {
  const { organization_id, workspace_id, key_id, model, kind } = record;
  const day = record.created_at.slice(0, 10);
  const id = [organization_id, day, workspace_id, key_id, model, kind].join('\0');
  let total = totals.get(id);
  if (!total) {
    const zero = { requests: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_micros: 0 };
    total = { organization_id, day, workspace_id, key_id, model, kind, ...zero };
    totals.set(id, total);
  }
  return total;
}
