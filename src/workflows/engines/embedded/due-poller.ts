import type { Clock } from '../../../kit/base/clock.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database, Db } from '../../../kit/db/index.ts';
import type { Committer } from '../port/committer.ts';
import { fireTimer } from './timers.ts';
import { wakeRun, wakeStep } from './wake-due.ts';

const BATCH = 200;
/** How often other processes' alarms are looked for; a process that dies leaves its own in the tables. */
const LOOK_MS = 500;
const SOONEST_MS = 1;
const BUSY_MS = 25;

export type Alarms = { start(): void; stop(): Promise<void>; expect(dueMs: number): void; ring(): Promise<number> };

/**
 * What is due: timers, leases that ran out, deadlines, delayed turns and steps. The tables are the heap; the process
 * only knows when to look next. Several processes may ring the same alarm: the run's version lets one of them act.
 */
export function createAlarms(options: {
  database: Database;
  committer: Committer;
  now: Clock;
  log: Logger;
  sweep: () => Promise<void>;
}): Alarms {
  const { database, committer, now, log, sweep } = options;
  let timer: NodeJS.Timeout | undefined;
  let nextMs = Number.POSITIVE_INFINITY;
  let ringing: Promise<void> | undefined;
  let isStopped = true;

  async function ring(): Promise<number> {
    const nowMs = now();
    const due = await Promise.all([
      listRuns(database.db, nowMs),
      listSteps(database.db, nowMs),
      listTimers(database.db, nowMs),
    ]);
    const [runs, steps, timers] = due;
    const rung = await Promise.all([
      ...timers.map(({ run_id, seq }) => committer.commit((unit) => fireTimer(unit, run_id, seq))),
      ...runs.map(({ run_id }) => committer.commit((unit) => wakeRun(unit, run_id))),
      ...steps.map(({ run_id, scheduled_event_id }) =>
        committer.commit((unit) => wakeStep(unit, run_id, scheduled_event_id)),
      ),
    ]);
    // What another process is busy with is left to it, and looked at again in a while.
    return rung.filter((isDone) => isDone).length;
  }

  async function round(): Promise<void> {
    nextMs = Number.POSITIVE_INFINITY;
    try {
      await sweep();
      while ((await ring()) > 0 && !isStopped);
      const dueMs = (await findNextDue(database.db)) ?? Number.POSITIVE_INFINITY;
      // What is due and yet was not to be had is another process's at this moment.
      expect(dueMs > now() ? dueMs : now() + BUSY_MS);
    } catch (error) {
      log.error({ err: error }, 'The alarms of workflows could not be looked at; they are tried again.');
    }
    if (!isStopped) schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    const delayMs = Math.min(Math.max(nextMs - now(), SOONEST_MS), LOOK_MS);
    timer = setTimeout(() => {
      ringing ??= round().finally(() => {
        ringing = undefined;
      });
    }, delayMs);
    timer.unref();
  }

  function expect(dueMs: number): void {
    if (dueMs >= nextMs) return;
    nextMs = dueMs;
    if (!isStopped && !ringing) schedule();
  }

  return {
    start() {
      isStopped = false;
      schedule();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await ringing;
    },
    expect,
    ring,
  };
}

function listRuns(db: Db, nowMs: number) {
  return db
    .selectFrom('workflow_runs')
    .select('run_id')
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(BATCH)
    .execute();
}

function listSteps(db: Db, nowMs: number) {
  return db
    .selectFrom('workflow_steps')
    .select(['run_id', 'scheduled_event_id'])
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(BATCH)
    .execute();
}

function listTimers(db: Db, nowMs: number) {
  return db
    .selectFrom('workflow_timers')
    .select(['run_id', 'seq'])
    .where('due_ms', '<=', nowMs)
    .orderBy('due_ms')
    .limit(BATCH)
    .execute();
}

async function findNextDue(db: Db): Promise<number | undefined> {
  const tables = ['workflow_runs', 'workflow_steps', 'workflow_timers'] as const;
  const rows = await Promise.all(
    tables.map((table) =>
      db
        .selectFrom(table)
        .select('due_ms')
        .where('due_ms', 'is not', null)
        .orderBy('due_ms')
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  const times = rows.flatMap((row) => (row?.due_ms == null ? [] : [row.due_ms]));
  return times.length > 0 ? Math.min(...times) : undefined;
}
