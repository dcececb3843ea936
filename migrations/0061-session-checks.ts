import type { Migration } from '../src/kit/db/index.ts';

/** Which process asks the provider of a session right now: a refresh token is used by one at a time. */
export const sessionChecks: Migration = {
  name: '0061-session-checks',
  oldestProgram: '0.1.0',
  up: ({ bigint }) => [`alter table sessions add column checking_until_ms ${bigint}`],
};
