import type { Migration } from '../src/kit/db/index.ts';

/** What belongs to one user, workspace or organization is found without its connector, to be deleted with its owner. */
export const connectorOwners: Migration = {
  name: '0047-connector-owners',
  oldestProgram: '0.1.0',
  up: () => [
    'create index connector_credentials_by_owner on connector_credentials (organization_id, consumer_type, consumer_id)',
    'create index connector_preferences_by_owner on connector_preferences (organization_id, consumer_type, consumer_id)',
  ],
};
