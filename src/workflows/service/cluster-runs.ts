import type { Db } from '../../kit/db/index.ts';
import type { RunRow } from '../engine/tables.ts';
import type { TemporalEngine } from '../temporal/create-temporal-engine.ts';
import { findByTemporalId } from '../temporal/store.ts';

export type ClusterRun = { workspaceId: string; executionId: string; runId: string };

/** What workers say of the runs of a cluster is only a hint to look there. */
export type ClusterRuns = {
  /** The row of the run that the cluster calls so. */
  find(db: Db, workspaceId: string, clusterRunId: string): Promise<RunRow | undefined>;
  /** The run is known here when this returns, if the workspace's namespace has it. */
  began(run: ClusterRun): Promise<void>;
  /** The end is told to readers when the cluster has it, which may be later. */
  ended(run: ClusterRun): Promise<void>;
};

export function createClusterRuns({ takeReports }: Pick<TemporalEngine, 'takeReports'>): ClusterRuns {
  const find: ClusterRuns['find'] = async (db, workspaceId, clusterRunId) =>
    (await findByTemporalId(db, workspaceId, clusterRunId))?.row;

  return {
    find,
    async began({ workspaceId, executionId, runId }) {
      await takeReports(workspaceId, [{ execution_id: executionId, run_id: runId, key: 'started', type: 'started' }]);
    },
    async ended({ workspaceId, executionId, runId }) {
      await takeReports(workspaceId, [{ execution_id: executionId, run_id: runId, key: 'ended', type: 'ended' }]);
    },
  };
}
