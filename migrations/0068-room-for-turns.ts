import type { Migration } from '../src/kit/db/index.ts';

/**
 * A run is updated with each of its turns. Without free space on its page PostgreSQL writes the new version to another
 * one, and with it an entry in each of seven indexes.
 */
export const roomForTurns: Migration = {
  name: '0068-room-for-turns',
  oldestProgram: '0.1.0',
  up: (_types, kind) => (kind === 'postgres' ? ['alter table workflow_runs set (fillfactor = 70)'] : []),
};
