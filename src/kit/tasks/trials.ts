import type { Database } from '../db/index.ts';
import type { ClaimedTask } from './store/claim.ts';

/** Tasks with one death that run at a time: if the process dies again, only so many have two. */
const SUSPECTS_MAX = 16;
/** After this time other tasks begin beside the one on trial. */
const TRIAL_MS = 10_000;
/** What was stored before the start has begun by then. */
const CAUTION_MS = 60_000;

/** How many deaths of its process a task has seen; 2 also stands for more. */
export type Suspicion = 0 | 1 | 2;

export type TrialWorker = {
  /** Claims again: it was refused a place before. */
  resume(): void;
  /** Marks what it runs, but for the task on trial: it is not to blame if the process dies. Never rejects. */
  markRunning(isBesideTrial: boolean, trialId: string): Promise<void>;
};

/** Places for tasks that are about to be claimed. `begin` must follow, with those that were. */
type Reservation = { places: number; begin(claimed: readonly ClaimedTask[]): Promise<void> };

/**
 * Decides which tasks may begin, so that a task that kills its process is found before others are blamed for it. A task
 * with two deaths is on trial: no other is claimed meanwhile, and those that run already are not blamed. After
 * `beginCautiously` tasks begin one by one, until one has ended.
 */
export type Trials = {
  beginCautiously(): void;
  /** Undefined while none may be claimed; the worker is resumed when that has changed. */
  reserve(worker: TrialWorker, suspicion: Suspicion, wanted: number): Reservation | undefined;
  ended(task: ClaimedTask): void;
  /** The task that is on trial because of its deaths. */
  onTrial(): string | undefined;
  follow(worker: TrialWorker): () => void;
};

/** Runners are made by many rooms and share the process that dies, so they share its trials without being handed them. */
const trialsByDatabase = new WeakMap<Database, Trials>();

export function trialsOf(database: Database): Trials {
  const found = trialsByDatabase.get(database) ?? createTrials();
  trialsByDatabase.set(database, found);
  return found;
}

export function createTrials(trialMs = TRIAL_MS): Trials {
  const workers = new Set<TrialWorker>();
  const refused = new Set<TrialWorker>();
  let isCautious = false;
  let suspects = 0;
  /** Nothing else is claimed meanwhile. */
  let trial: { timer?: NodeJS.Timeout; id?: string; isMarked?: boolean } | undefined;
  /** The task with two deaths that runs, also after its trial: with two of them a death would have two culprits. */
  let culprit: string | undefined;

  function resumeRefused(): void {
    const waiting = [...refused];
    refused.clear();
    for (const { resume } of waiting) resume();
  }

  async function beginTrial(isSuspect: boolean, [task]: readonly ClaimedTask[]): Promise<void> {
    if (!task) return endTrial();
    const { id } = task;
    trial = { id, isMarked: isSuspect, timer: setTimeout(endTrial, trialMs).unref() };
    if (!isSuspect) return;
    culprit = id;
    await Promise.all([...workers].map((worker) => worker.markRunning(true, id)));
  }

  function endTrial(): void {
    const { id, isMarked, timer } = trial ?? {};
    clearTimeout(timer);
    trial = undefined;
    resumeRefused();
    if (id !== undefined && isMarked) for (const worker of workers) void worker.markRunning(false, id);
  }

  function leaveSuspects(count: number): void {
    suspects -= count;
    if (count > 0) resumeRefused();
  }

  function findRoom(suspicion: Suspicion, wanted: number): number {
    if (trial || (suspicion === 2 && culprit !== undefined)) return 0;
    if (isCautious || suspicion === 2) return 1;
    return suspicion === 1 ? Math.min(wanted, SUSPECTS_MAX - suspects) : wanted;
  }

  return {
    beginCautiously() {
      isCautious = true;
      setTimeout(() => {
        isCautious = false;
      }, CAUTION_MS).unref();
    },
    reserve(worker, suspicion, wanted) {
      const places = findRoom(suspicion, wanted);
      if (places === 0) {
        refused.add(worker);
        return undefined;
      }
      const isTrial = isCautious || suspicion === 2;
      if (isTrial) trial = {};
      if (suspicion === 1) suspects += places;
      return {
        places,
        async begin(claimed) {
          if (suspicion === 1) leaveSuspects(places - claimed.length);
          if (isTrial) await beginTrial(suspicion === 2, claimed);
        },
      };
    },
    ended({ id, deaths }) {
      isCautious = false;
      if (deaths === 1) leaveSuspects(1);
      if (culprit === id) culprit = undefined;
      if (trial?.id === id) endTrial();
      else resumeRefused();
    },
    onTrial: () => (trial?.isMarked ? trial.id : undefined),
    follow(worker) {
      workers.add(worker);
      return () => {
        workers.delete(worker);
        refused.delete(worker);
      };
    },
  };
}
