import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, isUniqueViolation, type Tx } from '../../../kit/db/index.ts';
import { ApiError } from '../../../kit/http/index.ts';
import { RunMoved, type RunUnit } from './run-unit.ts';

/** A change to runs. It may run more than once, and must check before it changes: throwing undoes nothing. */
type Work<Unit, T> = (unit: Unit) => Promise<T>;

type Job<Unit> = {
  work: Work<Unit, unknown>;
  isSoon: boolean;
  /** How many turns it is. */
  weight: number;
  first: ((tx: Tx) => Promise<void>) | undefined;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** Groups the changes of many callers into few transactions. */
export type Committer<Unit> = {
  /** Resolves when the work is durable. Work that is submitted in the same tick shares a transaction. */
  commit<T>(work: Work<Unit, T>): Promise<T>;
  /**
   * Resolves after the commit, before it is on disk: for responses to workers. Everything else that is reported depends on
   * later commits. After a power cut a worker's `base` may be ahead of its run; it then gets `stale`.
   */
  commitSoon<T>(work: Work<Unit, T>, weight?: number): Promise<T>;
  /** Uses a transaction of its own, which begins with `first`. */
  commitAlone<T>(first: (tx: Tx) => Promise<void>, work: Work<Unit, T>): Promise<T>;
  /** Resolves when nothing is being written. */
  idle(): Promise<void>;
};

/** Of the jobs of a transaction, so that it holds up nobody for long. */
const BATCH_WEIGHT_MAX = 256;
/**
 * On SQLite the next batches may be written while one waits for the disk. On PostgreSQL a commit costs more than what it
 * commits, so what arrives meanwhile waits for the next, larger one.
 */
const BATCHES_IN_FLIGHT_MAX = { sqlite: 16, postgres: 1 };
/** Work that needs a transaction of its own gains nothing by waiting. */
const ALONE_IN_FLIGHT_MAX = 16;
const TRIES_MAX = 8;
/** For changes that nobody waits for (`hasNews`): a few turns of one execution then share a sync of SQLite's log. */
const PATIENCE_MS = 25;

export function createCommitter<Unit extends RunUnit>(
  database: Database,
  openUnit: (tx: Tx) => Unit,
  beforeFlush: (unit: Unit) => Promise<void> | void,
): Committer<Unit> {
  // A batch serves many callers: it must not run inside the transaction context of one of them.
  const outsideOfCallers = AsyncLocalStorage.snapshot();
  const queue: Job<Unit>[] = [];
  // Lists, because the tables that a long-lived Set leaves behind would keep whole batches.
  const inFlight: Promise<void>[] = [];
  const together: Promise<void>[] = [];
  let isPumping = false;

  async function pump(): Promise<void> {
    // Jobs submitted in this turn of the event loop share one batch.
    await nextTurn();
    while (queue.length > 0) {
      const isAlone = queue[0]?.first !== undefined;
      const [waited, max] = isAlone
        ? [inFlight, ALONE_IN_FLIGHT_MAX]
        : [together, BATCHES_IN_FLIGHT_MAX[database.kind]];
      while (waited.length >= max) {
        database.durable().catch(() => undefined);
        await Promise.race(waited);
      }
      const batch = takeBatch(queue);
      const { written, done } = start(batch);
      const settled = done.finally(() => {
        remove(inFlight, settled);
        remove(together, settled);
      });
      inFlight.push(settled);
      if (!isAlone) together.push(settled);
      await written;
    }
    isPumping = false;
  }

  function start(jobs: Job<Unit>[]): { written: Promise<void>; done: Promise<void> } {
    const { promise: written, resolve: isWritten } = Promise.withResolvers<void>();
    return { written, done: run(jobs, 1, isWritten).finally(isWritten) };
  }

  async function run(jobs: Job<Unit>[], tries: number, isWritten: () => void): Promise<void> {
    let unit: Unit | undefined;
    let outcomes: Outcome<Unit>[] = [];
    let durable: Promise<void>;
    try {
      ({ durable } = await database.commit(async (tx) => {
        unit?.rollback();
        unit = openUnit(tx);
        outcomes = [];
        for (const job of jobs) outcomes.push(await attempt(job, tx, unit));
        await beforeFlush(unit);
        await unit.flush();
        isWritten();
      }, PATIENCE_MS));
    } catch (error) {
      unit?.rollback();
      // Each job alone, so that only the one that fails is rejected.
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

  function submit<T>(work: Work<Unit, T>, more: Partial<Pick<Job<Unit>, 'isSoon' | 'weight' | 'first'>>): Promise<T> {
    const { isSoon = false, weight = 1, first } = more;
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, isSoon, weight, first, resolve: resolve as (value: unknown) => void, reject });
      if (isPumping) return;
      isPumping = true;
      outsideOfCallers(() => void pump());
    });
  }

  return {
    commit: (work) => submit(work, {}),
    commitSoon: (work, weight = 1) => submit(work, { isSoon: true, weight }),
    commitAlone: (first, work) => submit(work, { first }),
    async idle() {
      while (isPumping || inFlight.length > 0) {
        database.durable().catch(() => undefined);
        await nextTurn();
      }
    },
  };
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}

/** `settle` reports the outcome to the caller once the batch is committed or durable. */
type Outcome<Unit> = { job: Job<Unit>; settle: () => void };

async function attempt<Unit>(job: Job<Unit>, tx: Tx, unit: Unit): Promise<Outcome<Unit>> {
  try {
    await job.first?.(tx);
    const value = await job.work(unit);
    return { job, settle: () => job.resolve(value) };
  } catch (error) {
    // An ApiError has changed nothing and concerns its caller alone; any other error fails the transaction.
    if (!(error instanceof ApiError) || job.first) throw error;
    return { job, settle: () => job.reject(error) };
  }
}

// Another process wrote first; the same work may succeed on the new rows.
function mayRepeat(error: unknown): boolean {
  return error instanceof RunMoved || isUniqueViolation(error);
}

function takeBatch<Unit>(queue: Job<Unit>[]): Job<Unit>[] {
  if (queue[0]?.first) return queue.splice(0, 1);
  let [count, weight] = [0, 0];
  for (const job of queue) {
    weight += job.weight;
    if (count > 0 && (job.first || weight > BATCH_WEIGHT_MAX)) break;
    count++;
  }
  return queue.splice(0, count);
}
