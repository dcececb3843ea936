import type { Clock } from '../../../kit/base/clock.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { Cluster } from './cluster.ts';

type RunState = { isOpen: boolean; isRetryingTurn: boolean };

const RECENT_MS = 1000;
const KEPT_MAX = 10_000;

/** What only Temporal knows of an open run. Lists take an answer of the last second, so that polling them stays cheap. */
export function createRunStates({ cluster, now }: { cluster: Cluster; now: Clock }) {
  const known = new Map<string, { atMs: number; state: Promise<RunState> }>();

  function read(row: RunRow, temporalRunId: string): Promise<RunState> {
    if (known.size >= KEPT_MAX) known.clear();
    const state = cluster.describe(row, temporalRunId);
    known.set(row.run_id, { atMs: now(), state });
    const forget = () => known.get(row.run_id)?.state === state && known.delete(row.run_id);
    // An end is recorded and not asked for again.
    state.then(({ isOpen }) => isOpen || forget(), forget);
    return state;
  }

  return {
    read,
    readRecent(row: RunRow, temporalRunId: string): Promise<RunState> {
      const found = known.get(row.run_id);
      return found && now() - found.atMs < RECENT_MS ? found.state : read(row, temporalRunId);
    },
  };
}

export type RunStates = ReturnType<typeof createRunStates>;
