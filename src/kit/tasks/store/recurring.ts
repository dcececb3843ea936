import { type Database, lockFor, type Tx } from '../../db/index.ts';
import { insertTasks, rowOf } from './insert-tasks.ts';

export type RecurringTask = {
  queue: string;
  /** One task per queue and name, whatever the number of processes that ask for it. */
  name: string;
  intervalMs: number;
  payload?: unknown;
};

/**
 * The job is one row that is never deleted: completing it sets its next turn in the same transaction, and so
 * does its last failed attempt. At no moment could a crash leave the job without a turn, or with two.
 */
export async function ensureRecurring(
  tx: Tx,
  kind: Database['kind'],
  { queue, name, intervalMs, payload = { name } }: RecurringTask,
  nowMs: number,
): Promise<string> {
  const dedupeKey = `every:${name}`;
  // Servers that start together would otherwise each hold the row they all mean to change.
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
