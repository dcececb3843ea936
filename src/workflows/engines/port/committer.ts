import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, isUniqueViolation, type Tx } from '../../../kit/db/index.ts';
import { ApiError } from '../../../kit/http/index.ts';
import { RunMoved, type WorkUnit } from '../embedded/work-unit.ts';

/** One change to runs. It may be run more than once, and must check before it changes: what it throws undoes nothing. */
type Work<T> = (unit: WorkUnit) => Promise<T>;

type Job = {
  work: Work<unknown>;
  isSoon: boolean;
  first: ((tx: Tx) => Promise<void>) | undefined;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

export type Committer = {
  /** Resolves when the work is durable. Work of the same moment shares a transaction. */
  commit<T>(work: Work<T>): Promise<T>;
  /**
   * Resolves when the work is committed, before it is on disk: for answers to workers. Whatever else is told comes from
   * later work, and that is durable only together with this. A worker that knows of more than a power cut has left is
   * told so by its `base`.
   */
  commitSoon<T>(work: Work<T>): Promise<T>;
  /** A transaction of its own, which begins with `first`. */
  commitAlone<T>(first: (tx: Tx) => Promise<void>, work: Work<T>): Promise<T>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

const BATCH_MAX = 256;
/** While one batch waits for the disk, the next may already be written. */
const BATCHES_IN_FLIGHT_MAX = 16;
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
    let outcomes: Outcome[] = [];
    let durable: Promise<void>;
    try {
      ({ durable } = await database.commit(async (tx) => {
        unit?.rollback();
        unit = openUnit(tx);
        outcomes = [];
        for (const job of jobs) outcomes.push(await attempt(job, tx, unit));
        await unit.flush();
        isWritten();
      }));
    } catch (error) {
      unit?.rollback();
      // Alone, so that only the one that failed is told so.
      if (jobs.length > 1) for (const job of jobs) await run([job], tries, isWritten);
      else if (mayRepeat(error) && tries < TRIES_MAX) await run(jobs, tries + 1, isWritten);
      else jobs[0]?.reject(error);
      return;
    }
    for (const { job, settle } of outcomes) if (job.isSoon) settle();
    const isAwaited = unit?.hasNews || outcomes.some(({ job }) => !job.isSoon);
    if (isAwaited) database.durable().catch(() => undefined);
    try {
      await durable;
    } catch (error) {
      for (const { job } of outcomes) job.reject(error);
      return;
    }
    unit?.committed();
    for (const { job, settle } of outcomes) if (!job.isSoon) settle();
  }

  function submit<T>(work: Work<T>, isSoon: boolean, first?: (tx: Tx) => Promise<void>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, isSoon, first, resolve: resolve as (value: unknown) => void, reject });
      if (isPumping) return;
      isPumping = true;
      outsideOfCallers(() => void pump());
    });
  }

  return {
    commit: (work) => submit(work, false),
    commitSoon: (work) => submit(work, true),
    commitAlone: (first, work) => submit(work, false, first),
    async idle() {
      while (isPumping || inFlight.size > 0) await nextTurn();
    },
  };
}

/** How a job came out, to be told when it may be known. */
type Outcome = { job: Job; settle: () => void };

async function attempt(job: Job, tx: Tx, unit: WorkUnit): Promise<Outcome> {
  try {
    await job.first?.(tx);
    const value = await job.work(unit);
    return { job, settle: () => job.resolve(value) };
  } catch (error) {
    // A refusal has changed nothing and concerns nobody else; anything else spoils the transaction.
    if (!(error instanceof ApiError) || job.first) throw error;
    return { job, settle: () => job.reject(error) };
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
