import type { Db } from '../../db/index.ts';
import { findLeased, type Lease, updateLeased } from './lease.ts';

/** Returns the task as if it had not been claimed; only the token stays used. False when the lease was lost. */
export async function release(db: Db, lease: Lease): Promise<boolean> {
  const task = await findLeased(db, lease);
  if (!task) return false;
  return updateLeased(db, lease, { state: 'ready', due_ms: null, attempt: task.attempt - 1 });
}

/**
 * Makes tasks of a crashed process ready without waiting for their leases. Only when no other process uses this database.
 * The attempts stay counted: a task may have caused the crash.
 */
export async function releaseOrphans(db: Db): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ state: 'ready', due_ms: null })
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
