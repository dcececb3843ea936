import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, isUniqueViolation, type Tx } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { RunMoved, type WorkUnit } from './work-unit.ts';

/** One change to runs. It may be run more than once, and must check before it changes: what it throws undoes nothing. */
type Work<T> = (unit: WorkUnit) => Promise<T>;

type Job = {
  work: Work<unknown>;
  first: ((tx: Tx) => Promise<void>) | undefined;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

export type Committer = {
  /** Resolves when the work is durable. Work of the same moment shares a transaction. */
  commit<T>(work: Work<T>): Promise<T>;
  /** A transaction of its own, which begins with `first`. */
  commitAlone<T>(first: (tx: Tx) => Promise<void>, work: Work<T>): Promise<T>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

const BATCH_MAX = 256;
/** While one batch waits for the disk, the next may already be written. */
const BATCHES_IN_FLIGHT_MAX = 3;
const TRIES_MAX = 8;

export function createCommitter(database: Database, openUnit: (tx: Tx) => WorkUnit): Committer {
  // Work is committed for many callers at once: it must not run inside the transaction context of one of them.
  const outsideOfCallers = AsyncLocalStorage.snapshot();
  const queue: Job[] = [];
  const inFlight = new Set<Promise<void>>();
  let isPumping = false;

  async function pump(): Promise<void> {
    // Whatever arrived in this turn of the event loop goes into one batch.
    await nextTurn();
    while (queue.length > 0) {
      while (inFlight.size >= BATCHES_IN_FLIGHT_MAX) await Promise.race(inFlight);
      const batch = takeBatch(queue);
      const { written, done } = start(batch);
      const settled = done.finally(() => inFlight.delete(settled));
      inFlight.add(settled);
      await written;
    }
    isPumping = false;
  }

  function start(jobs: Job[]): { written: Promise<void>; done: Promise<void> } {
    const { promise: written, resolve: isWritten } = Promise.withResolvers<void>();
    return { written, done: run(jobs, 1, isWritten).finally(isWritten) };
  }

  async function run(jobs: Job[], tries: number, isWritten: () => void): Promise<void> {
    let unit: WorkUnit | undefined;
    let outcomes: (() => void)[] = [];
    try {
      await database.transaction(async (tx) => {
        unit?.rollback();
        unit = openUnit(tx);
        outcomes = [];
        for (const job of jobs) outcomes.push(await attempt(job, tx, unit));
        await unit.flush();
        isWritten();
      });
      unit?.committed();
      for (const settle of outcomes) settle();
    } catch (error) {
      unit?.rollback();
      // Alone, so that only the one that failed is told so.
      if (jobs.length > 1) for (const job of jobs) await run([job], tries, isWritten);
      else if (mayRepeat(error) && tries < TRIES_MAX) await run(jobs, tries + 1, isWritten);
      else jobs[0]?.reject(error);
    }
  }

  function submit<T>(work: Work<T>, first?: (tx: Tx) => Promise<void>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, first, resolve: resolve as (value: unknown) => void, reject });
      if (isPumping) return;
      isPumping = true;
      outsideOfCallers(() => void pump());
    });
  }

  return {
    commit: (work) => submit(work),
    commitAlone: (first, work) => submit(work, first),
    async idle() {
      while (isPumping || inFlight.size > 0) await nextTurn();
    },
  };
}

async function attempt(job: Job, tx: Tx, unit: WorkUnit): Promise<() => void> {
  try {
    await job.first?.(tx);
    const value = await job.work(unit);
    return () => job.resolve(value);
  } catch (error) {
    // A refusal has changed nothing and concerns nobody else; anything else spoils the transaction.
    if (!(error instanceof ApiError) || job.first) throw error;
    return () => job.reject(error);
  }
}

// Another process was faster: with what it wrote the work may come out differently.
function mayRepeat(error: unknown): boolean {
  return error instanceof RunMoved || isUniqueViolation(error);
}

function takeBatch(queue: Job[]): Job[] {
  if (queue[0]?.first) return queue.splice(0, 1);
  const alone = queue.findIndex((job) => job.first);
  return queue.splice(0, Math.min(BATCH_MAX, alone === -1 ? queue.length : alone));
}
