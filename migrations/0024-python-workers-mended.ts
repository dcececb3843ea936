import type { Migration } from '../src/kit/db/index.ts';

/**
 * 0022 landed twice: for a few minutes it created other run tokens, and registrations lacked the kind of worker. A
 * database from that time gets what it lacks; its tokens expire, and workers ask for new ones.
 */
export const pythonWorkersMended: Migration = {
  name: '0024-python-workers-mended',
  oldestProgram: '0.1.0',
  up: async ({ text }, _kind, holds) =>
    (await holds('workflow_registrations', 'sdk'))
      ? []
      : [
          `alter table workflow_registrations add column sdk ${text} not null default 'tramontane'`,
          'drop table workflow_run_tokens',
          `create table workflow_run_tokens (
            workspace_id ${text} not null,
            token_hash ${text} not null,
            run_id ${text} not null,
            primary key (workspace_id, token_hash)
          )`,
          'create unique index workflow_run_tokens_by_run on workflow_run_tokens (run_id)',
        ],
};
