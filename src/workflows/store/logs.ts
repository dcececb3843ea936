import type { Db, Tx } from '../../kit/db/index.ts';
import type { LogRecord } from '../schema/logs.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    /** Ids of received records, for deduplication. */
    workflow_log_ids: { workspace_id: string; id: string; created_ms: number };
  }
}

/** A stored record with its filter fields. */
export type StoredLog = LogRecord & {
  run_id: string | null;
  activity_id: string | null;
  worker_name: string;
  workflow_name: string | null;
};

/** Returns the new ids. */
export async function insertLogIds(
  tx: Tx,
  workspaceId: string,
  ids: string[],
  createdMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await tx
    .insertInto('workflow_log_ids')
    .values(ids.map((id) => ({ workspace_id: workspaceId, id, created_ms: createdMs })))
    .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doNothing())
    .returning('id')
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function deleteLogIds(db: Db, beforeMs: number): Promise<void> {
  await db.deleteFrom('workflow_log_ids').where('created_ms', '<', beforeMs).execute();
}

/** A page of a log stream, in either direction. */
export function listLogs(
  db: Db,
  stream: string,
  page: { order: 'asc' | 'desc'; beyond: number | undefined; limit: number },
): Promise<{ seq: number; data: unknown }[]> {
  // Records of logs are always whole, and a page of the view would read the whole stream.
  let query = db.selectFrom('whole_events').select(['seq', 'data']).where('stream', '=', stream);
  if (page.beyond !== undefined) query = query.where('seq', page.order === 'asc' ? '>' : '<', page.beyond);
  return query.orderBy('seq', page.order).limit(page.limit).execute();
}
