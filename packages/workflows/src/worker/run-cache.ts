import type { WorkflowTask } from '../protocol.ts';
import type { Execution } from '../run/execution.ts';
import type { Replay } from '../run/replay.ts';
import type { BegunStep } from './begun-steps.ts';

/** A cached run, paused where it waits. */
export type HotRun = {
  runId: string;
  /** The token of its lease. */
  token: string;
  rootExecutionId: string | undefined;
  execution: Execution;
  replay: Replay;
  /** Steps that succeeded, to be sent with the turn they lead to. */
  results: BegunStep[];
  isPlanned: boolean;
  isInTurn: boolean;
  /** Turns that the server has not answered. */
  unanswered: number;
  /** Whether the ids of all events are known before the server's answer, so that the run can go on meanwhile. */
  isForeseen: boolean;
  /** The server rejected a turn: this copy is of no more use. */
  isLost: boolean;
  /** What the server has for the run once all turns are answered. */
  next: WorkflowTask | undefined;
  /** Steps of the last copy that the server has not heard of, by their number. */
  orphans: Map<string, BegunStep>;
  /** Estimated size: the length of its history as JSON. */
  characters: number;
};

/** Estimated size of a run without history. */
const EMPTY_CHARACTERS = 4000;

/** An LRU cache of runs, limited by count and size. Evicted runs are replayed from their history when needed. */
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
      // Runs with unsent results or unanswered turns are not evicted.
      if (run.results.length === 0 && run.unanswered === 0) remove(runId);
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
