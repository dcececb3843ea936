import type { Migration } from '../src/kit/db/index.ts';

/** Who uses a connector, how often, and what failed last. Sums, not a log: a row for each user in each workspace. */
export const connectorUses: Migration = {
  name: '0052-connector-uses',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }) => [
    `create table connector_uses (
      connector_id ${text} not null,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      user_id ${text} not null,
      calls ${bigint} not null,
      failures ${bigint} not null,
      last_used_at ${text} not null,
      last_failed_at ${text},
      last_error ${text},
      primary key (connector_id, organization_id, workspace_id, user_id)
    )`,
    'create index connector_uses_by_owner on connector_uses (organization_id, user_id)',
  ],
};
