import type { Db } from '../../../kit/db/index.ts';
import type { RunRow } from '../../store/run-tables.ts';

export type ClusterRun = { workspaceId: string; executionId: string; runId: string };

/** Reports of workers are only hints to ask Temporal. Both throw a 404 when the namespace has no such run. */
export type ClusterRuns = {
  /** The row of a run, by its Temporal id. */
  find(db: Db, workspaceId: string, clusterRunId: string): Promise<RunRow | undefined>;
  /** Mirrors the run; true when it was new. */
  began(run: ClusterRun): Promise<boolean>;
  /** Before events of a worker: publishes what it could not deliver. `endedSteps` end in them without their start. */
  catchUp(run: ClusterRun, endedSteps: readonly string[]): Promise<void>;
  /** Publishes the end once Temporal has recorded it, which may be later. */
  ended(run: ClusterRun): Promise<void>;
};
