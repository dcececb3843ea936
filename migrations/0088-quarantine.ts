import type { Migration } from '../src/kit/db/index.ts';

/** Executions that several workers, or servers, did not survive are set aside. */
export const quarantine: Migration = {
  name: '0088-quarantine',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }) => [
    `alter table workflow_runs add column deaths ${bigint} not null default 0`,
    `alter table workflow_runs add column lost_ms ${bigint}`,
    `alter table workflow_runs add column quarantined_at ${text}`,
    `alter table workflow_runs add column quarantine_reason ${text}`,
    `create index workflow_runs_quarantined on workflow_runs (workspace_id, quarantined_at)
      where quarantined_at is not null`,
    'create index workflow_runs_suspect on workflow_runs (workspace_id, deployment_name) where deaths > 1',
    'create index workflow_steps_suspect on workflow_steps (workspace_id, deployment_name) where lost_leases > 1',
    // Runs that a server is waking, which it may not survive.
    `create table workflow_resumes (run_id ${text} primary key, deaths ${bigint} not null, since_ms ${bigint} not null)`,
  ],
};
