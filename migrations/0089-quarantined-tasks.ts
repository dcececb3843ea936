import type { Migration } from '../src/kit/db/index.ts';

/** Counts the deaths of processes at each task, and sets tasks aside that keep killing them. */
export const quarantinedTasks: Migration = {
  name: '0089-quarantined-tasks',
  oldestProgram: '0.1.0',
  up: ({ bigint, boolean }) => [
    'alter table tasks add column deaths integer not null default 0',
    `alter table tasks add column is_beside_trial ${boolean} not null default false`,
    `alter table tasks add column quarantined_ms ${bigint}`,
    `alter table tasks add column is_reported ${boolean} not null default false`,
    `create index tasks_quarantined on tasks (id) where state = 'quarantined'`,
  ],
};
