import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { afterCommit, type Database, type Looks, type Tx } from '../db/index.ts';
import { createRemover } from './remove-ended.ts';
import { type Run, startRun, type TaskHandler } from './run-task.ts';
import type { ClaimedTask, Turns } from './store/claim.ts';
import { dueOfQueue } from './store/next-due.ts';
import type { QuarantinedTask } from './store/quarantine.ts';
import { cancelTopic, type Tasks, wakeTopic } from './tasks.ts';
import { type Suspicion, type TrialWorker, trialsOf } from './trials.ts';

const LEASE_MS = 30_000;
const CONTENDED_MS = 25;
/** A longer timer of Node's fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const ABORT_GRACE_MS = 1000;

export type QueueOptions = {
  handler: TaskHandler;
  /** How many handlers run at a time in this process. */
  concurrency: number;
  /** Lets tenants take turns; default: first come, first served. */
  turns?: Turns;
  /** How long a crashed process keeps a task; default 30 s. */
  leaseMs?: number;
  /**
   * Deletes tasks some time after they were completed, in groups. For a handler that finds out by itself that its task has
   * ended: after a crash the task comes once more.
   */
  removesLater?: boolean;
  /**
   * Ends what clients wait for, in the transaction that quarantines its task. Must not throw: no task of the queue would be
   * claimed any more.
   */
  onQuarantine?: (tx: Tx, task: QuarantinedTask) => Promise<void>;
};

export type QueueWorker = {
  start(): void;
  adopt(task: ClaimedTask): void;
  stop(limitMs: number): Promise<void>;
  /** Resolves when no handler runs and nothing is due. */
  idle(): Promise<void>;
};

type WorkerOptions = { queue: string; tasks: Tasks; database: Database; now: Clock; log: Logger; looks: Looks };

/** Claims as many tasks of one queue as there are free slots: when woken, when one is due, and when a look finds one. */
export function createQueueWorker(
  { queue, tasks, database, now, log, looks }: WorkerOptions,
  { handler, concurrency, turns, leaseMs = LEASE_MS, removesLater = false, onQuarantine }: QueueOptions,
): QueueWorker {
  const trials = trialsOf(database);
  const worker: TrialWorker = {
    resume: () => void fill(),
    async markRunning(isBesideTrial, trialId) {
      const beside = running.flatMap(({ id }) => (id === trialId ? [] : id));
      if (beside.length === 0) return;
      await tasks.setBesideTrial(beside, isBesideTrial).catch((error: unknown) => {
        // At worst a task has a death too many or too few.
        log.warn({ queue, err: error }, 'tasks beside one that is on trial could not be marked');
      });
    },
  };
  // On PostgreSQL other processes may claim it at the same time, and asking whether one has costs as much as deleting it.
  const remover = removesLater && database.kind === 'sqlite' ? createRemover({ database, log }) : undefined;
  // A list: the tables that a long-lived Set leaves behind would keep what has ended.
  const running: Run[] = [];
  const renewMs = leaseMs / 3;
  const unlisten: (() => void)[] = [];
  let isOpen = false;
  let filling: Promise<void> | undefined;
  let lookAgain = false;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let renewals: NodeJS.Timeout | undefined;

  // Enqueueing wakes us by a plain call; its transaction and request context must not leak into the handlers.
  const outside = AsyncLocalStorage.snapshot();

  function fill(): Promise<void> {
    if (!isOpen) return Promise.resolve();
    lookAgain = true;
    filling ??= outside(fillPlaces);
    return filling;
  }

  async function fillPlaces(): Promise<void> {
    let dueMs: number | undefined;
    try {
      while (isOpen && lookAgain) {
        lookAgain = false;
        // Handlers that end in the same turn free several slots, and one claim fills them all.
        await nextTurn();
        dueMs = await claimUntilFull();
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.error({ queue, err: error }, 'tasks could not be claimed; trying again');
      isFailing = true;
    }
    lookLater(dueMs);
    // In the same turn as the last check of lookAgain, or a call in between would be lost.
    filling = undefined;
  }

  /** Returns when something will be due; undefined when all slots are taken or nothing is. */
  async function claimUntilFull(): Promise<number | undefined> {
    while (isOpen && running.length < concurrency) {
      const dueMs = await tasks.nextDue(queue);
      if (dueMs === undefined || dueMs > now()) return dueMs;
      await renewShort();
      // Adopted tasks may have taken the free places meanwhile.
      const limit = concurrency - running.length;
      if (limit <= 0) return undefined;
      const begun = (await claimSome(0, limit)) || (await claimSuspects(limit));
      // The trials resume this worker.
      if (begun === 'later') return undefined;
      // What is ready is over its tenant's share: the end of another task, or the next look, tries again.
      if (begun === 0) return turns && dueMs === 0 ? undefined : dueMs;
    }
    return undefined;
  }

  /** What was running when its process died: those first that did so less often. */
  async function claimSuspects(limit: number): Promise<number | 'later'> {
    let begun: number | 'later' = 0;
    for (const deaths of await tasks.listDeaths(queue)) {
      if (deaths === 0) continue;
      begun = await claimSome(deaths === 1 ? 1 : 2, limit);
      if (begun !== 0) return begun;
    }
    return begun;
  }

  async function claimSome(deaths: Suspicion, wanted: number): Promise<number | 'later'> {
    const reservation = trials.reserve(worker, deaths, wanted);
    if (!reservation) return 'later';
    let claimed: ClaimedTask[] = [];
    try {
      const options = { leaseMs, turns, isDue: true, deaths, onQuarantine: quarantine };
      claimed = await tasks.claim(queue, { ...options, limit: reservation.places });
    } finally {
      await reservation.begin(claimed);
    }
    for (const task of claimed) await begin(task, trials.ended);
    if (deaths < 2) await markBegun();
    return claimed.length;
  }

  /** What begins during a trial: it was claimed before, or a client waits for it. */
  async function markBegun(): Promise<void> {
    const trialId = trials.onTrial();
    if (trialId !== undefined) await worker.markRunning(true, trialId);
  }

  async function quarantine(tx: Tx, task: QuarantinedTask): Promise<void> {
    afterCommit(tx, () =>
      log.error({ queue, task_id: task.id, deaths: task.deaths }, 'a task was quarantined: its process died each time'),
    );
    await onQuarantine?.(tx, task);
  }

  async function begin(task: ClaimedTask, onEnd?: (task: ClaimedTask) => void): Promise<void> {
    // The claim was in progress when the runner stopped.
    if (!isOpen) {
      await tasks.release(database.db, task);
      return onEnd?.(task);
    }
    const run = startRun({ task, handler, leaseMs, tasks, db: database.db, remover, now, log });
    running.push(run);
    renewals ??= setInterval(renewAll, renewMs).unref();
    void run.ended.then((isGone) => {
      const isFree = running.length < concurrency;
      running.splice(running.indexOf(run), 1);
      onEnd?.(task);
      if (running.length === 0) endRenewals();
      // Where a slot was free already, nothing waits for this one.
      if (!isGone || !isFree || turns) void fill();
    });
  }

  function lookLater(dueMs = Number.POSITIVE_INFINITY): void {
    clearTimeout(timer);
    if (!isOpen || dueMs === Number.POSITIVE_INFINITY) return;
    const waitMs = dueMs - now();
    // A due task that could not be claimed is locked by another process.
    timer = setTimeout(() => void fill(), Math.min(TIMER_MS_MAX, waitMs > 0 ? waitMs : CONTENDED_MS));
    timer.unref();
  }

  /** What another process enqueued, or left behind when it died. */
  function look(dueMs: number | undefined): void {
    if (filling || dueMs === undefined || running.length >= concurrency) return;
    if (dueMs <= now()) void fill();
    else lookLater(dueMs);
  }

  function renewAll(): void {
    for (const run of running) void run.renew();
  }

  /** A busy process may be late with renewals: it would take from its own handlers what they still work on. */
  async function renewShort(): Promise<void> {
    await Promise.all(running.filter((run) => run.isShort(renewMs)).map((run) => run.renew()));
  }

  function endRenewals(): void {
    clearInterval(renewals);
    renewals = undefined;
  }

  async function drain(limitMs: number): Promise<void> {
    const ended = () => Promise.all(running.map((run) => run.ended));
    if (await within(limitMs, ended())) return;
    for (const run of running) run.interrupt();
    if (await within(Math.min(limitMs, ABORT_GRACE_MS), ended())) return;
    await Promise.all(running.map((run) => run.abandon()));
  }

  return {
    start() {
      isOpen = true;
      unlisten.push(database.wakeups.listen(wakeTopic(queue), () => void fill()));
      unlisten.push(database.wakeups.listen(cancelTopic(queue), () => outside(renewAll)));
      unlisten.push(looks.follow(dueOfQueue, queue, () => look));
      unlisten.push(trials.follow(worker));
      void fill();
    },
    adopt(task) {
      // Nothing is lost: the task is claimed again when its lease has run out.
      outside(async () => {
        await begin(task);
        await markBegun();
      }).catch((error: unknown) => log.error({ queue, err: error }, 'a task was not given back'));
    },
    async stop(limitMs) {
      isOpen = false;
      for (const end of unlisten.splice(0)) end();
      clearTimeout(timer);
      await filling;
      await drain(limitMs);
      endRenewals();
      await remover?.flush();
    },
    async idle() {
      for (;;) {
        await fill();
        if (running.length === 0) return;
        await Promise.race(running.map((run) => run.ended));
      }
    },
  };
}

/** Whether the work ended in time; it continues otherwise. */
async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
