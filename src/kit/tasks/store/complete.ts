import { type Db, executeEach, prepareFor, type Tx } from '../../db/index.ts';
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
    deaths: 0,
    last_error: null,
  });
}

const findRunning = prepareFor((db, id: string, leaseToken: number) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', id)
    .where('lease_token', '=', leaseToken)
    .where('state', '=', 'running'),
);

/** Whether this claim still stands, in a transaction that ends the task and leaves its row to `deleteEnded`. */
export async function isLeased(tx: Tx, { id, lease_token }: Lease): Promise<boolean> {
  return (await findRunning(tx, id, lease_token)).length > 0;
}

const DELETE_ENDED = "delete from tasks where id = ? and lease_token = ? and state = 'running'";

/** On SQLite. Leaves those alone that were claimed again, whose new claim ends them. */
export async function deleteEnded(tx: Tx, leases: readonly Lease[]): Promise<void> {
  const each = leases.map(({ id, lease_token }) => [id, lease_token]);
  await executeEach(tx, DELETE_ENDED, each);
}
