import type { Migration } from '../src/kit/db/index.ts';

export const batch: Migration = {
  name: '0018-batch',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint, boolean }) => [
    `create table batch_jobs (
      id ${text} primary key,
      workspace_id ${text} not null references workspaces (id),
      user_id ${text} not null,
      caller ${json} not null,
      endpoint ${text} not null,
      model ${text},
      agent_id ${text},
      metadata ${json},
      input_files ${json} not null,
      input_blob ${text},
      status ${text} not null,
      total_requests ${bigint} not null,
      succeeded_requests ${bigint} not null,
      failed_requests ${bigint} not null,
      output_file ${text},
      error_file ${text},
      errors ${json} not null,
      created_at ${text} not null,
      started_at ${text},
      completed_at ${text},
      ends_at_ms ${bigint} not null
    )`,
    'create index batch_jobs_by_workspace on batch_jobs (workspace_id, created_at, id)',
    'create index batch_jobs_by_blob on batch_jobs (input_blob) where input_blob is not null',
    // The results so far. The primary key prevents a second result for the same line, whichever server writes it.
    `create table batch_answers (
      job_id ${text} not null references batch_jobs (id) on delete cascade,
      position ${bigint} not null,
      is_success ${boolean} not null,
      line ${text} not null,
      primary key (job_id, position)
    )`,
  ],
};
