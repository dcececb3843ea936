import type { Clock } from '../../../kit/base/clock.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { findNextDue, listDueRuns, listDueSteps, listDueTimers } from './store/due.ts';
import { fireTimer } from './timers.ts';
import { wakeRun, wakeStep } from './wake-due.ts';
import type { WorkCommitter } from './work-unit.ts';

const BATCH = 200;
/** Finds due work of other processes, which may have died. */
const INTERVAL_MS = 500;
const DELAY_MS_MIN = 1;
const BUSY_MS = 25;

export type DuePoller = {
  start(): void;
  stop(): Promise<void>;
  /** Polls no later than this time. */
  expect(dueMs: number): void;
  /** Handles what is due now and returns how much there was. */
  poll(): Promise<number>;
};

/**
 * Polls the tables for due timers, expired leases, deadlines, delayed turns and steps. Several processes may find the
 * same work: the run's version lets one of them act.
 */
export function createDuePoller(options: {
  database: Database;
  committer: WorkCommitter;
  now: Clock;
  log: Logger;
  sweep: () => Promise<void>;
}): DuePoller {
  const { database, committer, now, log, sweep } = options;
  let timer: NodeJS.Timeout | undefined;
  let nextMs = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  let isStopped = true;

  async function poll(): Promise<number> {
    const nowMs = now();
    const [runs, steps, timers] = await Promise.all([
      listDueRuns(database.db, nowMs, BATCH),
      listDueSteps(database.db, nowMs, BATCH),
      listDueTimers(database.db, nowMs, BATCH),
    ]);
    const handled = await Promise.all([
      ...timers.map(({ run_id, seq }) => committer.commit((unit) => fireTimer(unit, run_id, seq))),
      ...runs.map(({ run_id }) => committer.commit((unit) => wakeRun(unit, run_id))),
      ...steps.map(({ run_id, scheduled_event_id }) =>
        committer.commit((unit) => wakeStep(unit, run_id, scheduled_event_id)),
      ),
    ]);
    // Runs that another process is writing are skipped and polled again later.
    return handled.filter((isDone) => isDone).length;
  }

  async function round(): Promise<void> {
    nextMs = Number.POSITIVE_INFINITY;
    try {
      await sweep();
      while ((await poll()) > 0 && !isStopped);
      const dueMs = (await findNextDue(database.db)) ?? Number.POSITIVE_INFINITY;
      // Work that is due but was not handled is locked by another process.
      expect(dueMs > now() ? dueMs : now() + BUSY_MS);
    } catch (error) {
      log.error({ err: error }, 'Due workflow work could not be read; retrying.');
    }
    if (!isStopped) schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    const delayMs = Math.min(Math.max(nextMs - now(), DELAY_MS_MIN), INTERVAL_MS);
    timer = setTimeout(() => {
      running ??= round().finally(() => {
        running = undefined;
      });
    }, delayMs);
    timer.unref();
  }

  function expect(dueMs: number): void {
    if (dueMs >= nextMs) return;
    nextMs = dueMs;
    if (!isStopped && !running) schedule();
  }

  return {
    start() {
      isStopped = false;
      schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
    expect,
    poll,
  };
}
