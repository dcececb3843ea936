import type { Migration } from '../src/kit/db/index.ts';

export const serviceAccounts: Migration = {
  name: '0053-service-accounts',
  oldestProgram: '0.1.0',
  up: ({ text, json }) => [
    // Set on the user row of a service account: it owns keys and objects as a person does, but nobody signs in to it.
    `alter table users add column service_name ${text}`,
    `create table service_accounts (
      id ${text} primary key references users (id),
      organization_id ${text} not null references organizations (id),
      workspace_id ${text} not null references workspaces (id),
      name ${text} not null,
      description ${text},
      roles ${json} not null,
      created_at ${text} not null,
      updated_at ${text} not null,
      deleted_at ${text}
    )`,
    'create index service_accounts_by_organization on service_accounts (organization_id, created_at, id)',
    'create index service_accounts_by_workspace on service_accounts (workspace_id, created_at, id)',
  ],
};
