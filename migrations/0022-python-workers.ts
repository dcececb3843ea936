import type { Migration } from '../src/kit/db/index.ts';

export const pythonWorkers: Migration = {
  name: '0022-python-workers',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint }) => [
    // What proves that a worker has the input of a run: only its hash is kept. Before the run is known it has none.
    `create table workflow_run_tokens (
      workspace_id ${text} not null,
      token_hash ${text} not null,
      execution_id ${text} not null,
      run_id ${text},
      user_id ${text},
      created_ms ${bigint} not null,
      primary key (workspace_id, token_hash)
    )`,
    'create unique index workflow_run_tokens_by_run on workflow_run_tokens (run_id) where run_id is not null',
    'create index workflow_run_tokens_by_execution on workflow_run_tokens (workspace_id, execution_id)',

    `create table workflow_graphs (
      registration_id ${text} primary key references workflow_registrations (id) on delete cascade,
      workspace_id ${text} not null,
      version ${bigint} not null,
      graph ${json},
      error ${text},
      updated_at ${text} not null
    )`,
  ],
};
