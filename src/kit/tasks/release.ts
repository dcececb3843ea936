import type { Db } from '../db/index.ts';
import { findLeased, type Lease, updateLeased } from './lease.ts';

/** Gives the task back as if it had not been claimed; only the token stays used. False when the lease was lost. */
export async function release(db: Db, lease: Lease): Promise<boolean> {
  const task = await findLeased(db, lease);
  if (!task) return false;
  return updateLeased(db, lease, { state: 'ready', due_ms: null, attempt: task.attempt - 1 });
}
