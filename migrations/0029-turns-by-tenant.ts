import type { Migration } from '../src/kit/db/index.ts';

/** Whose a task is, so that tenants take turns, and why a batch job waits. */
export const turnsByTenant: Migration = {
  name: '0029-turns-by-tenant',
  oldestProgram: '0.1.0',
  up: ({ text }) => [
    `alter table tasks add column tenant ${text}`,
    `alter table tasks add column tenant_key ${text}`,
    `alter table batch_jobs add column waits_for ${text}`,
  ],
};
