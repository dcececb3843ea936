import type { Db } from '../../db/index.ts';
import { findLeased, type Lease, updateLeased } from './lease.ts';

/** Returns the task as if it had not been claimed; only the token stays used. False when the lease was lost. */
export async function release(db: Db, lease: Lease): Promise<boolean> {
  const task = await findLeased(db, lease);
  if (!task) return false;
  return updateLeased(db, lease, { state: 'ready', due_ms: null, attempt: task.attempt - 1 });
}

/**
 * Ends the leases of a crashed process, so that its tasks are found without waiting for them. Only when no other process uses
 * this database.
 */
export async function endLeases(db: Db, nowMs: number): Promise<void> {
  await db.updateTable('tasks').set({ due_ms: nowMs }).where('state', '=', 'running').execute();
}
