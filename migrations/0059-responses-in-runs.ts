import type { Migration } from '../src/kit/db/index.ts';

/** A stored response is a column of its run for as long as the run is kept, and a row of `responses` from then on. */
export const responsesInRuns: Migration = {
  name: '0059-responses-in-runs',
  oldestProgram: '0.1.0',
  up: ({ json }) => [`alter table conversation_runs add column response ${json}`],
};
