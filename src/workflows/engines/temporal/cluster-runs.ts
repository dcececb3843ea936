import type { Db } from '../../../kit/db/index.ts';
import type { RunRow } from '../../store/run-tables.ts';

export type ClusterRun = { workspaceId: string; executionId: string; runId: string };

/**
 * What workers say of the runs of a cluster is only a hint to look there. Both throw a 404 when the workspace's
 * namespace has no such run.
 */
export type ClusterRuns = {
  /** The row of the run that the cluster calls so. */
  find(db: Db, workspaceId: string, clusterRunId: string): Promise<RunRow | undefined>;
  /** The run is known here when this returns; whether it was new. */
  began(run: ClusterRun): Promise<boolean>;
  /** The end is told to readers when the cluster has it, which may be later. */
  ended(run: ClusterRun): Promise<void>;
};
