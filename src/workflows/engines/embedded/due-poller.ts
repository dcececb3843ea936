import type { Clock } from '../../../kit/base/clock.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { dueWork, findNextDue, listDueRuns, listDueSteps, listDueTimers } from './store/due.ts';
import { fireTimer } from './timers.ts';
import { wakeRun, wakeStep } from './wake-due.ts';
import type { WorkCommitter } from './work-unit.ts';

/** Many may be due at once, as after a start. SQLite works on the event loop, which others need meanwhile. */
const BATCH = { sqlite: 50, postgres: 200 };
/** How often work that a worker did not collect goes to others; reads no table. */
const SWEEP_MS = 500;
/** A longer timer of Node's fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const DELAY_MS_MIN = 1;
const BUSY_MS = 25;
const FAILED_MS = 500;

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
  let sweeps: NodeJS.Timeout | undefined;
  let unfollow = () => {};
  let nextMs = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  let isStopped = true;

  async function poll(): Promise<number> {
    const nowMs = now();
    const limit = BATCH[database.kind];
    const [runs, steps, timers] = await Promise.all([
      listDueRuns(database.db, nowMs, limit),
      listDueSteps(database.db, nowMs, limit),
      listDueTimers(database.db, nowMs, limit),
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
      while ((await poll()) > 0 && !isStopped);
      const dueMs = (await findNextDue(database.db)) ?? Number.POSITIVE_INFINITY;
      // Work that is due but was not handled is locked by another process.
      expect(dueMs > now() ? dueMs : now() + BUSY_MS);
    } catch (error) {
      log.error({ err: error }, 'Due workflow work could not be read; retrying.');
      expect(now() + FAILED_MS);
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.min(Math.max(nextMs - now(), DELAY_MS_MIN), TIMER_MS_MAX);
    timer = setTimeout(begin, delayMs);
    timer.unref();
  }

  function begin(): void {
    running ??= round().finally(() => {
      running = undefined;
      if (!isStopped) schedule();
    });
  }

  function expect(dueMs: number): void {
    if (dueMs >= nextMs) return;
    nextMs = dueMs;
    if (!isStopped && !running) schedule();
  }

  async function sweepOnce(): Promise<void> {
    sweeping ??= sweep()
      .catch((error: unknown) =>
        log.error({ err: error }, 'Uncollected workflow work could not be returned; retrying.'),
      )
      .finally(() => {
        sweeping = undefined;
      });
    await sweeping;
  }

  return {
    start() {
      isStopped = false;
      expect(now());
      // Work of other processes, which may have died.
      unfollow = database.looks.follow(dueWork, '', () => (dueMs) => {
        if (dueMs === undefined) return;
        // The clock may have been set since the timer was.
        if (dueMs <= now()) begin();
        else expect(dueMs);
      });
      sweeps = setInterval(() => void sweepOnce(), SWEEP_MS);
      sweeps.unref();
    },
    async stop() {
      isStopped = true;
      unfollow();
      clearTimeout(timer);
      clearInterval(sweeps);
      await Promise.all([running, sweeping]);
    },
    expect,
    poll,
  };
}
