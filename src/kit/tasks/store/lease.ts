import type { Db } from '../../db/index.ts';
import type { TaskState } from './tables.ts';

/** Names one claim of one task; all that is needed to renew or end it, also from another process. */
export type Lease = { id: string; queue: string; lease_token: number };

/** Thrown when a worker ends a task that is no longer its own; the transaction around it must roll back. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';

  constructor({ id, queue, lease_token }: Lease) {
    super(`Task ${id} of queue ${queue} was cancelled, or taken away after claim ${lease_token}.`);
  }
}

/** The task, if this claim of it still stands. A lease past its time stands until the task is taken away. */
export function findLeased(db: Db, { id, lease_token }: Lease) {
  return db
    .selectFrom('tasks')
    .select(['id', 'queue', 'lease_token', 'attempt', 'attempts_max', 'run_at_ms', 'repeat_ms'])
    .where('id', '=', id)
    .where('lease_token', '=', lease_token)
    .where('state', '=', 'running')
    .executeTakeFirst();
}

type Change = {
  state?: TaskState;
  due_ms: number | null;
  run_at_ms?: number;
  attempt?: number;
  deaths?: number;
  last_error?: string | null;
};

/** Changes the task if this claim of it still stands; false when the lease was lost. */
export async function updateLeased(db: Db, { id, lease_token }: Lease, change: Change): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set(change)
    .where('id', '=', id)
    .where('lease_token', '=', lease_token)
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
