import type { Migration } from '../src/kit/db/index.ts';

export const agents: Migration = {
  name: '0011-agents',
  oldestProgram: '0.1.0',
  up: ({ text, json, boolean }) => [
    `create table agents (
      id ${text} primary key,
      object_id ${text} not null references versioned_objects (id) on delete cascade,
      workspace_id ${text} not null,
      current_version integer not null,
      deployment_chat ${boolean} not null,
      source ${text} not null,
      name ${text} not null,
      description ${text} not null,
      metadata ${json},
      created_at ${text} not null
    )`,
    'create index agents_by_creation on agents (workspace_id, created_at, id)',
    'create index agents_by_name on agents (workspace_id, name)',
    'create index agents_by_object on agents (object_id)',
  ],
};
