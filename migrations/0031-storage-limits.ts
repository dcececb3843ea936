import type { Migration } from '../src/kit/db/index.ts';

export const storageLimits: Migration = {
  name: '0031-storage-limits',
  oldestProgram: '0.1.0',
  up: async ({ bigint }) => [
    `alter table limits add column storage_bytes ${bigint}`,
    // What earlier programs stored counts as nothing until it is deleted.
    `alter table batch_jobs add column input_bytes ${bigint} not null default 0`,
    `alter table workflow_payloads add column bytes ${bigint} not null default 0`,
  ],
};
