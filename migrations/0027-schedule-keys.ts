import type { Migration } from '../src/kit/db/index.ts';

/** The key that created a schedule; null for a signed-in user, and for schedules of earlier programs. */
export const scheduleKeys: Migration = {
  name: '0027-schedule-keys',
  oldestProgram: '0.1.0',
  up: ({ text }) => [`alter table workflow_schedules add column key_id ${text}`],
};
