import type { Migration } from '../src/kit/db/index.ts';

/** Addresses that are told what happens, what was sent to them, and what was announced already. */
export const notifications: Migration = {
  name: '0056-notifications',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint }) => [
    `create table notification_endpoints (
      id ${text} primary key,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      covers ${text} not null,
      creator_id ${text} not null,
      key_id ${text},
      url ${text} not null,
      description ${text} not null,
      event_types ${json},
      sealed_secret ${text} not null,
      sealed_previous ${text},
      previous_until_ms ${bigint},
      status ${text} not null,
      disabled_reason ${text},
      failing_since_ms ${bigint},
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create index notification_endpoints_by_workspace on notification_endpoints (workspace_id, created_at)',
    'create index notification_endpoints_by_organization on notification_endpoints (organization_id)',
    `create table notification_deliveries (
      id ${text} primary key,
      endpoint_id ${text} not null references notification_endpoints (id) on delete cascade,
      organization_id ${text} not null,
      message_id ${text} not null,
      event_type ${text} not null,
      payload ${text} not null,
      status ${text} not null,
      attempts ${bigint} not null,
      response_status ${bigint},
      error ${text},
      next_attempt_at ${text},
      created_at ${text} not null,
      created_ms ${bigint} not null,
      ended_at ${text}
    )`,
    // A message goes to an endpoint once, however often its task is repeated.
    'create unique index notification_deliveries_by_message on notification_deliveries (endpoint_id, message_id)',
    'create index notification_deliveries_by_time on notification_deliveries (endpoint_id, created_ms, id)',
    "create index notification_deliveries_pending on notification_deliveries (endpoint_id) where status = 'pending'",
    'create index notification_deliveries_by_age on notification_deliveries (created_ms)',
    `create table notification_marks (
      mark ${text} primary key,
      created_ms ${bigint} not null
    )`,
  ],
};
