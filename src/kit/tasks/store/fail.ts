import type { Db } from '../../db/index.ts';
import { describeError } from '../describe-error.ts';
import { retryDelayMs } from '../retry-delay.ts';
import { type Failure, giveUp } from './give-up.ts';
import { findLeased, type Lease, updateLeased } from './lease.ts';

export type FailOptions = {
  /** Instead of the growing delay. */
  retryInMs?: number;
};

export async function fail(
  db: Db,
  lease: Lease,
  error: unknown,
  { retryInMs, nowMs }: FailOptions & { nowMs: number },
): Promise<Failure> {
  const task = await findLeased(db, lease);
  if (!task) return 'lost';
  const lastError = describeError(error);
  if (task.attempt >= task.attempts_max) return giveUp(db, task, lastError, nowMs);
  const runAtMs = nowMs + Math.round(retryInMs ?? retryDelayMs(task.attempt));
  const change = { run_at_ms: runAtMs, due_ms: runAtMs, last_error: lastError };
  return (await updateLeased(db, lease, { state: 'delayed', ...change })) ? 'delayed' : 'lost';
}
