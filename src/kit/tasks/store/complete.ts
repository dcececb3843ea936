import { type Db, prepareFor } from '../../db/index.ts';
import { findLeased, type Lease, updateLeased } from './lease.ts';
import { nextRunMs } from './next-run.ts';

const deleteLeased = prepareFor((db, id: string, leaseToken: number) =>
  db
    .deleteFrom('tasks')
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .where('state', '=', 'running')
    .where('repeat_ms', 'is', null)
    .returning('id'),
);

/** Deletes the task, or sets a recurring one to its next run. False when the lease was lost. */
export async function complete(db: Db, lease: Lease & { repeat_ms?: number | null }, nowMs: number): Promise<boolean> {
  // A claimed task tells that it recurs; a lease alone does not.
  if (!lease.repeat_ms && (await deleteLeased(db, lease.id, lease.lease_token)).length > 0) return true;
  const task = await findLeased(db, lease);
  if (!task?.repeat_ms) return false;
  const nextMs = nextRunMs(task.run_at_ms, task.repeat_ms, nowMs);
  return updateLeased(db, lease, {
    state: 'delayed',
    run_at_ms: nextMs,
    due_ms: nextMs,
    attempt: 0,
    last_error: null,
  });
}
