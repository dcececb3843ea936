import type { Migration } from '../src/kit/db/index.ts';

/** Deployments by their last change, the other order in which they are listed. */
export const deploymentsByChange: Migration = {
  name: '0082-deployments-by-change',
  oldestProgram: '0.1.0',
  up: () => ['create index workflow_deployments_by_change on workflow_deployments (workspace_id, updated_at, id)'],
};
