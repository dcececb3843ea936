import { type Database, groupWriter, type Tx } from '../../kit/db/index.ts';
import type { UsageRecordRow } from './tables.ts';

/** Most records of a second are of a few keys and models. */
export function usageRecordWriter(kind: Database['kind']): (tx: Tx, rows: readonly UsageRecordRow[]) => Promise<void> {
  return groupWriter<UsageRecordRow>(kind, {
    table: 'usage_records',
    shared: { text: ['organization_id', 'workspace_id', 'key_id', 'user_id', 'model', 'kind'] },
    own: {
      text: ['id', 'request_id', 'created_at'],
      bigint: ['prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost_micros', 'latency_ms'],
      integer: ['status'],
    },
    isSame,
    addShared,
    addOwn,
  });
}

function isSame(a: UsageRecordRow, b: UsageRecordRow): boolean {
  return (
    a.key_id === b.key_id &&
    a.user_id === b.user_id &&
    a.model === b.model &&
    a.kind === b.kind &&
    a.workspace_id === b.workspace_id &&
    a.organization_id === b.organization_id
  );
}

// Written out, in the order of the columns: a lookup by variable per column would cost more than the rest.
function addShared(values: unknown[], row: UsageRecordRow): void {
  values.push(row.organization_id, row.workspace_id, row.key_id, row.user_id, row.model, row.kind);
}

function addOwn(values: unknown[], row: UsageRecordRow): void {
  values.push(row.id, row.request_id, row.created_at, row.prompt_tokens, row.completion_tokens, row.cached_tokens);
  values.push(row.cost_micros, row.latency_ms, row.status);
}
