import type { Clock } from '../base/clock.ts';
import { afterCommit, type Database, type Db, type Tx } from '../db/index.ts';
import { type ClaimedTask, type ClaimOptions, claimDue } from './store/claim.ts';
import { complete } from './store/complete.ts';
import { type DeadTask, listDead, reviveDead } from './store/dead.ts';
import { deleteTask } from './store/delete-task.ts';
import { type FailOptions, fail } from './store/fail.ts';
import type { Failure } from './store/give-up.ts';
import { insertStarted, insertTasks, type NewTask, rowOf } from './store/insert-tasks.ts';
import { type Lease, LeaseLost, updateLeased } from './store/lease.ts';
import { findNextDue, hasDue } from './store/next-due.ts';
import {
  countQuarantined,
  forgiveDeath,
  listDeaths,
  listQuarantined,
  type QuarantinedTask,
  releaseQuarantined,
  takeUnreported,
  updateBesideTrial,
} from './store/quarantine.ts';
import { ensureRecurring, type RecurringTask } from './store/recurring.ts';
import { endLeases, release } from './store/release.ts';
import { type QueueStats, stats } from './store/stats.ts';
import { trialsOf } from './trials.ts';

/**
 * The only queue. What takes `tx` belongs to the caller's transaction and takes effect with it; what takes `db`
 * works with the database or a transaction. Workers are woken after the commit.
 */
export type Tasks = {
  /** Returns the task's id, or that of the task which already waits or runs under the dedupe key. */
  enqueue(tx: Tx, task: NewTask): Promise<string>;
  /** The same for work that a person asks for: a quarantined task under the dedupe key is tried once more. */
  enqueueByHand(tx: Tx, task: NewTask): Promise<string>;
  enqueueMany(tx: Tx, tasks: NewTask[]): Promise<string[]>;
  /** Enqueues a task that is claimed already, for a runner in this process to `adopt` after the commit. */
  enqueueClaimed(tx: Tx, task: Omit<NewTask, 'runAtMs' | 'dedupeKey'>, leaseMs: number): Promise<ClaimedTask>;
  /** Ensures that each job runs once per interval, first in one interval from now. Call it at each start. */
  every(jobs: RecurringTask[]): Promise<string[]>;
  claim(queue: string, options: ClaimOptions): Promise<ClaimedTask[]>;
  /** When the queue next has something to do: 0 = now, undefined = nothing waits or runs. */
  nextDue(queue: string): Promise<number | undefined>;
  /** Renews the lease; false when it was lost, and the work should stop. */
  heartbeat(db: Db, lease: Lease, leaseMs: number): Promise<boolean>;
  /** False when the lease was lost: the caller must roll back. */
  complete(tx: Tx, lease: Lease): Promise<boolean>;
  /** Throws LeaseLost, which rolls the transaction around it back. */
  completeOrThrow(db: Db, lease: Lease): Promise<void>;
  fail(db: Db, lease: Lease, error: unknown, options?: FailOptions): Promise<Failure>;
  /** Returns the task without counting the attempt. */
  release(db: Db, lease: Lease): Promise<boolean>;
  /** Ends the leases of all running tasks; only for the sole process of a database, before its runners start. */
  endLeases(): Promise<void>;
  /** The numbers of deaths that ready tasks of the queue have seen, from the fewest on. */
  listDeaths(queue: string): Promise<number[]>;
  /** Takes back the death of a task whose lease ran out although its process lives. */
  forgiveDeath(lease: Lease): Promise<void>;
  /** If work is stored, tasks begin one after the other from now on, until one has ended. */
  beginCautiously(): Promise<void>;
  /** Whether a death of their process may be the fault of another task, which is on trial. */
  setBesideTrial(ids: readonly string[], isBesideTrial: boolean): Promise<void>;
  /** Deletes the task; a handler that runs it is aborted. False when there was none. */
  cancel(tx: Tx, id: string): Promise<boolean>;
  listDead(db: Db, queue: string, page?: { after?: string; limit?: number }): Promise<DeadTask[]>;
  /** False when the task is not dead, or another with its dedupe key took its place. */
  retryDead(tx: Tx, id: string): Promise<boolean>;
  /** Tasks of all queues that were set aside because their process died with them too often. */
  listQuarantined(db: Db, page?: { after?: string; limit?: number }): Promise<QuarantinedTask[]>;
  /** How many there are of each queue. */
  countQuarantined(db: Db): Promise<{ queue: string; tasks: number }[]>;
  /** Those that the caller now writes to the audit log, in the same transaction. */
  takeUnreported(tx: Tx): Promise<QuarantinedTask[]>;
  /** Undefined when the task is not quarantined. */
  retryQuarantined(tx: Tx, id: string): Promise<QuarantinedTask | undefined>;
  stats(db: Db): Promise<QueueStats[]>;
};

export const wakeTopic = (queue: string): string => `tasks:${queue}`;
/** Wakes whoever reports quarantined tasks. */
export const QUARANTINE_TOPIC = 'tasks-quarantined';
export const cancelTopic = (queue: string): string => `tasks-cancelled:${queue}`;

export function createTasks({ database, now }: { database: Database; now: Clock }): Tasks {
  const { kind, wakeups } = database;

  function wake(db: Db, topic: string): void {
    if (isTransaction(db)) afterCommit(db, () => wakeups.wake(topic));
    else wakeups.wake(topic);
  }

  async function enqueueMany(tx: Tx, tasks: NewTask[]): Promise<string[]> {
    const nowMs = now();
    const ids = await insertTasks(
      tx,
      kind,
      tasks.map((task) => rowOf(task, nowMs)),
    );
    for (const queue of new Set(tasks.map((task) => task.queue))) wake(tx, wakeTopic(queue));
    return ids;
  }

  const setBesideTrial: Tasks['setBesideTrial'] = (ids, isBesideTrial) =>
    database.transaction((tx) => updateBesideTrial(tx, kind, ids, isBesideTrial));

  async function retryQuarantined(tx: Tx, id: string): Promise<QuarantinedTask | undefined> {
    const task = await releaseQuarantined(tx, id);
    if (task) wake(tx, wakeTopic(task.queue));
    return task;
  }

  return {
    async enqueue(tx, task) {
      const [id = ''] = await enqueueMany(tx, [task]);
      return id;
    },
    async enqueueByHand(tx, task) {
      const [id = ''] = await enqueueMany(tx, [task]);
      if (task.dedupeKey !== undefined) await retryQuarantined(tx, id);
      return id;
    },
    enqueueMany,
    async enqueueClaimed(tx, task, leaseMs) {
      const nowMs = now();
      const { state: _state, due_ms: _due, ...claimed } = await insertStarted(tx, task, nowMs, nowMs + leaseMs);
      return { ...claimed, payload: JSON.parse(claimed.payload), leased_until_ms: nowMs + leaseMs, deaths: 0 };
    },
    every: (jobs) =>
      database.transaction(async (tx) => {
        const ids: string[] = [];
        for (const job of jobs) {
          ids.push(await ensureRecurring(tx, kind, job, now()));
          wake(tx, wakeTopic(job.queue));
        }
        return ids;
      }),
    async claim(queue, { onQuarantine, ...options }) {
      const nowMs = now();
      // A read needs no lock and no sync, and most polls find nothing.
      const dueMs = options.isDue ? nowMs : await findNextDue(database.db, queue);
      if (dueMs === undefined || dueMs > nowMs) return [];
      return claimDue(database, queue, {
        ...{ ...options, nowMs },
        async onQuarantine(tx, task) {
          wake(tx, QUARANTINE_TOPIC);
          await onQuarantine?.(tx, task);
        },
      });
    },
    nextDue: (queue) => findNextDue(database.db, queue),
    heartbeat: (db, lease, leaseMs) => updateLeased(db, lease, { due_ms: now() + leaseMs }),
    complete: (tx, lease) => complete(tx, lease, now()),
    async completeOrThrow(db, lease) {
      if (!(await complete(db, lease, now()))) throw new LeaseLost(lease);
    },
    fail: (db, lease, error, options = {}) => fail(db, lease, error, { ...options, nowMs: now() }),
    async release(db, lease) {
      const isOurs = await release(db, lease);
      if (isOurs) wake(db, wakeTopic(lease.queue));
      return isOurs;
    },
    endLeases: () => endLeases(database.db, now()),
    listDeaths: (queue) => listDeaths(database.db, queue),
    forgiveDeath: (lease) => database.transaction((tx) => forgiveDeath(tx, lease.id)),
    async beginCautiously() {
      if (await hasDue(database.db, now())) trialsOf(database).beginCautiously();
    },
    setBesideTrial,
    async cancel(tx, id) {
      const queue = await deleteTask(tx, id);
      if (queue !== undefined) wake(tx, cancelTopic(queue));
      return queue !== undefined;
    },
    listDead,
    async retryDead(tx, id) {
      const queue = await reviveDead(tx, id);
      if (queue !== undefined) wake(tx, wakeTopic(queue));
      return queue !== undefined;
    },
    listQuarantined,
    countQuarantined,
    takeUnreported,
    retryQuarantined,
    stats: (db) => stats(db, now()),
  };
}

function isTransaction(db: Db): db is Tx {
  return db.isTransaction;
}
