import type { Migration } from '../src/kit/db/index.ts';

/** The first run of the root execution of a run; null for runs from before, and of a previous program. */
export const workflowChains: Migration = {
  name: '0033-workflow-chains',
  oldestProgram: '0.1.0',
  up: async ({ text }) => [`alter table workflow_runs add column chain_run_id ${text}`],
};
