import type { Migration } from '../src/kit/db/index.ts';

/** Why the platform itself paused a schedule; null when nobody or a user did. */
export const schedulePauses: Migration = {
  name: '0030-schedule-pauses',
  oldestProgram: '0.1.0',
  up: async ({ text }) => [`alter table workflow_schedules add column paused_because ${text}`],
};
