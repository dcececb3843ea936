import type { Db } from '../../db/index.ts';
import { type Lease, updateLeased } from './lease.ts';
import { nextRunMs } from './next-run.ts';

/** Outcome of a failed task: it is retried, it is dead, or its lease was lost. */
export type Failure = 'delayed' | 'dead' | 'lost';

type Spent = Lease & { run_at_ms: number; repeat_ms: number | null };

/** After the last attempt a task is dead; a recurring one waits for its next run with a fresh count. */
export async function giveUp(db: Db, task: Spent, lastError: string, nowMs: number): Promise<Failure> {
  if (!task.repeat_ms) {
    const isOurs = await updateLeased(db, task, { state: 'dead', due_ms: null, last_error: lastError });
    return isOurs ? 'dead' : 'lost';
  }
  const nextMs = nextRunMs(task.run_at_ms, task.repeat_ms, nowMs);
  const change = { run_at_ms: nextMs, due_ms: nextMs, attempt: 0, last_error: lastError };
  return (await updateLeased(db, task, { state: 'delayed', ...change })) ? 'delayed' : 'lost';
}
