import type { HotRun } from './hot-run.ts';

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
