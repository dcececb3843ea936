import { type Database, lockFor, type Tx } from '../../db/index.ts';
import { insertTasks, rowOf } from './insert-tasks.ts';

export type RecurringTask = {
  queue: string;
  /** One task per queue and name, however many processes ask for it. */
  name: string;
  intervalMs: number;
  payload?: unknown;
};

/**
 * The job is one row that is never deleted: completing it, or its last failed attempt, sets its next run in the same
 * transaction. So a crash never leaves the job without a next run, or with two.
 */
export async function ensureRecurring(
  tx: Tx,
  kind: Database['kind'],
  { queue, name, intervalMs, payload = { name } }: RecurringTask,
  nowMs: number,
): Promise<string> {
  const dedupeKey = `every:${name}`;
  // Servers that start together would otherwise deadlock on these rows.
  await lockFor(tx, kind, `tasks:${queue}:${dedupeKey}`);
  const firstMs = nowMs + intervalMs;
  const row = rowOf({ queue, payload, runAtMs: firstMs, dedupeKey }, nowMs, intervalMs);
  const [id = row.id] = await insertTasks(tx, kind, [row]);
  if (id === row.id) return id;
  // A new release may have changed the interval, or the payload.
  await tx.updateTable('tasks').set({ repeat_ms: intervalMs, payload: row.payload }).where('id', '=', id).execute();
  await tx
    .updateTable('tasks')
    .set({ run_at_ms: firstMs, due_ms: firstMs })
    .where('id', '=', id)
    .where('state', '=', 'delayed')
    .where('due_ms', '>', firstMs)
    .execute();
  return id;
}
