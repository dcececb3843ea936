import type { Migration } from '../src/kit/db/index.ts';

export const pythonWorkers: Migration = {
  name: '0022-python-workers',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint }) => [
    // Which kind of worker serves it; all earlier registrations are of our own kind.
    `alter table workflow_registrations add column sdk ${text} not null default 'tramontane'`,

    // The token that proves that a worker was assigned a run: only its hash is stored.
    `create table workflow_run_tokens (
      workspace_id ${text} not null,
      token_hash ${text} not null,
      run_id ${text} not null,
      primary key (workspace_id, token_hash)
    )`,
    'create unique index workflow_run_tokens_by_run on workflow_run_tokens (run_id)',

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
