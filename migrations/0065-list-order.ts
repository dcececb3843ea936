import type { Migration } from '../src/kit/db/index.ts';

/** Lists are read in the order of an index: without one, each page sorts all that a workspace has. */
export const listOrder: Migration = {
  name: '0065-list-order',
  oldestProgram: '0.1.0',
  up: () => [
    'create index datasets_by_creation on datasets (workspace_id, created_at, id)',
    'create index judges_by_creation on judges (workspace_id, created_at, id)',
    'create index evaluation_projects_by_creation on evaluation_projects (workspace_id, created_at)',
    'create index evaluation_pipelines_by_creation on evaluation_pipelines (workspace_id, created_at)',
    'create index evaluation_pipeline_configs_by_creation on evaluation_pipeline_configs (workspace_id, created_at)',
    'create index workflow_deployments_by_creation on workflow_deployments (workspace_id, created_at, id)',
  ],
};
