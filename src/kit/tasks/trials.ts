import type { Database } from '../db/index.ts';
import type { ClaimedTask } from './store/claim.ts';

/** Tasks with one death that run at a time: if the process dies again, only so many have two. */
const SUSPECTS_MAX = 16;
/** After this time other tasks begin beside the one on trial. */
const TRIAL_MS = 10_000;

/** How many deaths of its process a task has seen; 2 also stands for more. */
export type Suspicion = 0 | 1 | 2;

type Worker = { resume(): void; running(): string[] };

/** Places for tasks that are about to be claimed. `begin` must follow, with those that were. */
type Reservation = { places: number; begin(claimed: readonly ClaimedTask[]): Promise<void> };

/**
 * Decides which tasks may begin, so that a task that kills its process is found before others are blamed for it. A task
 * with two deaths is on trial: no other is claimed meanwhile, and those that run already are not blamed. After
 * `beginCautiously` each task is, until one has ended.
 */
export type Trials = {
  beginCautiously(): void;
  /** Undefined while none may be claimed; the worker is resumed afterwards. */
  reserve(suspicion: Suspicion, wanted: number): Reservation | undefined;
  /** A task that begins without a reservation, because a client waits for it. */
  admit(task: ClaimedTask): void;
  ended(task: ClaimedTask): void;
  follow(worker: Worker): () => void;
};

const trialsByDatabase = new WeakMap<Database, Trials>();

/** All runners of this process on one database share them. */
export function trialsOf(database: Database, markBeside: MarkBeside): Trials {
  const found = trialsByDatabase.get(database) ?? createTrials(markBeside);
  trialsByDatabase.set(database, found);
  return found;
}

type MarkBeside = (ids: readonly string[], isBesideTrial: boolean) => Promise<void>;

export function createTrials(markBeside: MarkBeside, trialMs = TRIAL_MS): Trials {
  const workers = new Set<Worker>();
  let isCautious = false;
  let suspects = 0;
  let trial: { id?: string; timer?: NodeJS.Timeout } | undefined;

  const resumeAll = () => {
    for (const { resume } of workers) resume();
  };
  const listRunning = () => [...workers].flatMap(({ running }) => running());
  const mark = async (ids: string[]) => {
    if (ids.length > 0) await markBeside(ids, true);
  };

  async function beginTrial([task]: readonly ClaimedTask[]): Promise<void> {
    if (!task) return endTrial();
    trial = { id: task.id, timer: setTimeout(endTrial, trialMs).unref() };
    await mark(listRunning());
  }

  function endTrial(): void {
    clearTimeout(trial?.timer);
    trial = undefined;
    resumeAll();
    const excused = listRunning();
    // A mark that stays excuses its task from one death.
    if (excused.length > 0) markBeside(excused, false).catch(() => undefined);
  }

  function leaveSuspects(count: number): void {
    const wasFull = suspects === SUSPECTS_MAX;
    suspects -= count;
    if (wasFull && count > 0) resumeAll();
  }

  return {
    beginCautiously() {
      isCautious = true;
    },
    reserve(suspicion, wanted) {
      const isTrial = isCautious || suspicion === 2;
      const room = suspicion === 1 ? SUSPECTS_MAX - suspects : wanted;
      const places = isTrial ? 1 : Math.min(wanted, room);
      if (trial || places === 0) return undefined;
      if (isTrial) trial = {};
      if (suspicion === 1) suspects += places;
      return {
        places,
        async begin(claimed) {
          if (suspicion === 1) leaveSuspects(places - claimed.length);
          if (isTrial) await beginTrial(claimed);
          // A trial may have begun while these were claimed.
          else if (trial) await mark(claimed.map(({ id }) => id));
        },
      };
    },
    admit({ id }) {
      if (trial) mark([id]).catch(() => undefined);
    },
    ended({ id, deaths }) {
      isCautious = false;
      if (deaths === 1) leaveSuspects(1);
      if (trial?.id === id) endTrial();
    },
    follow(worker) {
      workers.add(worker);
      return () => workers.delete(worker);
    },
  };
}
