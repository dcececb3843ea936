import type { Migration } from '../src/kit/db/index.ts';

/** Above every version that a server may have in its memory, so that none takes an old copy for a new one. */
const FIRST_VERSION = 2 ** 40;

/**
 * A turn changes columns at the end of a run's row, and its version, which was the second column. PostgreSQL logs an update
 * from the first byte that differs to the last, so nearly the whole row was logged with each turn. Takes no time: rows that
 * exist get the version when they are written next. Turns of many runs also need more room on their pages than in 0068.
 */
export const shorterTurns: Migration = {
  name: '0078-shorter-turns',
  oldestProgram: '0.1.0',
  up: (_types, kind) =>
    kind === 'sqlite'
      ? []
      : [
          'alter table workflow_runs drop column version',
          `alter table workflow_runs add column version bigint not null default ${FIRST_VERSION}`,
          'alter table workflow_runs alter column version drop default',
          'alter table workflow_runs set (fillfactor = 50)',
          'alter table event_streams set (fillfactor = 50)',
        ],
};
