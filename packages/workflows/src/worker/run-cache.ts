import type { Json, StepTask } from '../protocol.ts';
import type { Execution } from '../run/execution.ts';
import type { Replay } from '../run/replay.ts';

/** A run whose code is here, stopped where it waits. */
export type HotRun = {
  runId: string;
  /** The lease under which its turns are answered. */
  token: string;
  execution: Execution;
  replay: Replay;
  /** Of steps that ended here and are to be sent with the turn they lead to. */
  results: { task: StepTask; result: { token: string; result: Json } }[];
  isPlanned: boolean;
  /** How much JSON it was made of: what it weighs, roughly. */
  characters: number;
};

/** What a run weighs before it has any history: its function, promises and maps. */
const EMPTY_CHARACTERS = 4000;

/**
 * The runs that are kept between turns. The least recently used go first when there are too many or they are too big;
 * they are read anew from their history when they are needed.
 */
export function createRunCache({ runsMax, charactersMax }: { runsMax: number; charactersMax: number }) {
  const runs = new Map<string, HotRun>();
  let characters = 0;

  function remove(runId: string): HotRun | undefined {
    const run = runs.get(runId);
    if (!run) return undefined;
    runs.delete(runId);
    characters -= run.characters;
    return run;
  }

  function makeRoom(): void {
    for (const [runId, run] of runs) {
      if (runs.size <= 1 || (runs.size <= runsMax && characters <= charactersMax)) return;
      // Results that are not sent yet are in the run alone.
      if (run.results.length === 0) remove(runId);
    }
  }

  return {
    get size() {
      return runs.size;
    },
    peek: (runId: string) => runs.get(runId),
    /** Makes it the most recently used. */
    get(runId: string): HotRun | undefined {
      const run = runs.get(runId);
      if (run) {
        runs.delete(runId);
        runs.set(runId, run);
      }
      return run;
    },
    put(run: HotRun): void {
      if (runs.get(run.runId) === run) return;
      remove(run.runId);
      run.characters += EMPTY_CHARACTERS;
      characters += run.characters;
      runs.set(run.runId, run);
      makeRoom();
    },
    weigh(run: HotRun, more: number): void {
      run.characters += more;
      if (runs.get(run.runId) !== run) return;
      characters += more;
      makeRoom();
    },
    remove,
  };
}
