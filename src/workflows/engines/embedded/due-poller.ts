import type { Clock } from '../../../kit/base/clock.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { createResumption } from './resumption.ts';
import type { Sessions } from './sessions.ts';
import { dueWork, findNextDue, listDueRuns, listDueSteps, listDueTimers } from './store/due.ts';
import { fireTimer } from './timers.ts';
import { type Hearing, wakeRun, wakeStep } from './wake-due.ts';
import type { OnSetAside, WorkCommitter, WorkUnit } from './work-unit.ts';

/** Many may be due at once, as after a start. SQLite works on the event loop, which others need meanwhile. */
const BATCH = { sqlite: 50, postgres: 200 };
/** How often work that a worker did not collect goes to others; reads no table. */
const SWEEP_MS = 500;
/** A longer timer of Node's fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const DELAY_MS_MIN = 1;
const BUSY_MS = 25;
const FAILED_MS = 500;
const FAILED_RUN_MS = 5000;

/** A timer, a run or a step that is due. */
type DueItem = { run_id: string; wake: (unit: WorkUnit) => Promise<boolean> };

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
  sessions: Sessions;
  onSetAside: OnSetAside;
  now: Clock;
  log: Logger;
  sweep: () => Promise<void>;
}): DuePoller {
  const { database, committer, sessions, now, log, sweep } = options;
  const hearing: Hearing = { sessions, sinceMs: now() };
  const resumption = createResumption(options);
  /** Runs that could not be woken, and when that is tried again. */
  const failed = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let sweeps: NodeJS.Timeout | undefined;
  let unfollow = () => {};
  let nextMs = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  let isStopped = true;

  async function poll(): Promise<number> {
    for (const [runId, untilMs] of failed) if (untilMs <= now()) failed.delete(runId);
    const due = await listDue();
    if (resumption.isOver) return wakeAll(due);
    const runIds = new Set(due.map(({ run_id }) => run_id));
    return resumption.wake([...runIds], async (runId) => wakeAll(await listDue(runId)));
  }

  /** Of all runs, or of one. */
  async function listDue(runId?: string): Promise<DueItem[]> {
    const nowMs = now();
    const limit = BATCH[database.kind];
    const [runs, steps, timers] = await Promise.all([
      listDueRuns(database.db, nowMs, limit, runId),
      listDueSteps(database.db, nowMs, limit, runId),
      listDueTimers(database.db, nowMs, limit, runId),
    ]);
    return [
      ...timers.map(({ run_id, seq }) => ({ run_id, wake: (unit: WorkUnit) => fireTimer(unit, run_id, seq) })),
      ...runs.map(({ run_id }) => ({ run_id, wake: (unit: WorkUnit) => wakeRun(unit, run_id, hearing) })),
      ...steps.map(({ run_id, scheduled_event_id }) => ({
        run_id,
        wake: (unit: WorkUnit) => wakeStep(unit, run_id, scheduled_event_id, hearing),
      })),
    ];
  }

  /** Returns how many were done. Runs that another process is writing are skipped and polled again later. */
  async function wakeAll(due: DueItem[]): Promise<number> {
    const done = await Promise.all(due.map(wake));
    return done.filter((isDone) => isDone).length;
  }

  /** What is wrong with one run holds up no other. */
  async function wake({ run_id, wake: change }: DueItem): Promise<boolean> {
    if (failed.has(run_id)) return false;
    try {
      return await committer.commit(change);
    } catch (error) {
      failed.set(run_id, now() + FAILED_RUN_MS);
      log.error({ err: error, run_id }, 'Due work of an execution could not be done; retrying.');
      return false;
    }
  }

  async function round(): Promise<void> {
    nextMs = Number.POSITIVE_INFINITY;
    try {
      while ((await poll()) > 0 && !isStopped);
      const dueMs = (await findNextDue(database.db)) ?? Number.POSITIVE_INFINITY;
      // Work that is due but was not handled is locked by another process.
      expect(dueMs > now() ? dueMs : now() + (failed.size > 0 ? FAILED_MS : BUSY_MS));
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
      hearing.sinceMs = now();
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
