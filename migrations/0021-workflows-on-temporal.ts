import type { Migration } from '../src/kit/db/index.ts';

/** Which runs are on Temporal, and their run ids there; null until Temporal has confirmed the start. */
export const workflowsOnTemporal: Migration = {
  name: '0021-workflows-on-temporal',
  oldestProgram: '0.1.0',
  up: ({ text, json, boolean }) => [
    `create table workflow_temporal_runs (
      run_id ${text} primary key,
      workspace_id ${text} not null,
      temporal_run_id ${text},
      input ${json},
      is_open ${boolean} not null
    )`,
    'create unique index workflow_temporal_runs_by_id on workflow_temporal_runs (workspace_id, temporal_run_id)',
    'create index workflow_temporal_runs_open on workflow_temporal_runs (workspace_id, run_id) where is_open',
  ],
};
