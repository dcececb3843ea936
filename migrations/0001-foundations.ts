import type { Database, Migration } from '../src/kit/db/index.ts';

const APPEND_ONLY = 'audit_logs is append-only';

const AUDIT_LOGS_APPEND_ONLY: Record<Database['kind'], string[]> = {
  sqlite: [
    `create trigger audit_logs_no_update before update on audit_logs begin select raise(abort, '${APPEND_ONLY}'); end`,
    `create trigger audit_logs_no_delete before delete on audit_logs begin select raise(abort, '${APPEND_ONLY}'); end`,
    // INSERT OR REPLACE deletes the old row without firing the trigger above.
    `create trigger audit_logs_no_replace before insert on audit_logs
      when exists (select 1 from audit_logs where organization_id = new.organization_id and log_id = new.log_id)
      begin select raise(abort, '${APPEND_ONLY}'); end`,
  ],
  postgres: [
    `create function refuse_audit_logs_change() returns trigger language plpgsql as
      $$ begin raise exception '${APPEND_ONLY}'; end $$`,
    `create trigger audit_logs_append_only before update or delete or truncate on audit_logs
      for each statement execute function refuse_audit_logs_change()`,
  ],
};

export const foundations: Migration = {
  name: '0001-foundations',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint, boolean }, kind) => [
    `create table signals (name ${text} primary key, version ${bigint} not null)`,

    `create table idempotency_keys (
      principal ${text} not null,
      key ${text} not null,
      request_hash ${text} not null,
      status integer,
      response ${text},
      created_ms ${bigint} not null,
      primary key (principal, key)
    )`,
    'create index idempotency_keys_by_age on idempotency_keys (created_ms)',

    `create table event_streams (stream ${text} primary key, head ${bigint} not null)`,
    `create table events (
      stream ${text} not null,
      seq ${bigint} not null,
      type ${text} not null,
      data ${json} not null,
      created_at ${text} not null,
      primary key (stream, seq)
    )`,

    `create table tasks (
      id ${text} primary key,
      queue ${text} not null,
      payload ${json} not null,
      priority integer not null,
      run_at_ms ${bigint} not null,
      due_ms ${bigint},
      repeat_ms ${bigint},
      attempt integer not null,
      attempts_max integer not null,
      lease_token ${bigint} not null,
      dedupe_key ${text},
      last_error ${text},
      state ${text} not null,
      created_at ${text} not null
    )`,
    'create index tasks_by_state on tasks (queue, state, priority, run_at_ms, id)',
    'create index tasks_due on tasks (queue, due_ms) where due_ms is not null',
    `create unique index tasks_dedupe on tasks (queue, dedupe_key) where dedupe_key is not null and state <> 'dead'`,

    `create table organizations (
      id ${text} primary key,
      name ${text} not null,
      plan ${text} not null,
      created_at ${text} not null
    )`,
    `create table workspaces (
      id ${text} primary key,
      organization_id ${text} not null references organizations (id),
      name ${text} not null,
      description ${text} not null,
      icon ${text} not null,
      is_default ${boolean} not null,
      archived_at ${text},
      created_at ${text} not null
    )`,
    'create index workspaces_by_organization on workspaces (organization_id, created_at)',
    `create table users (
      id ${text} primary key,
      email ${text} not null unique,
      first_name ${text},
      last_name ${text},
      created_at ${text} not null
    )`,
    `create table organization_members (
      organization_id ${text} not null references organizations (id),
      user_id ${text} not null references users (id),
      role ${text} not null,
      created_at ${text} not null,
      primary key (organization_id, user_id, role)
    )`,
    'create index organization_members_by_user on organization_members (user_id)',
    `create table workspace_members (
      workspace_id ${text} not null references workspaces (id),
      user_id ${text} not null references users (id),
      role ${text} not null,
      created_at ${text} not null,
      primary key (workspace_id, user_id, role)
    )`,
    'create index workspace_members_by_user on workspace_members (user_id)',
    `create table api_keys (
      id ${text} primary key,
      kind ${text} not null,
      organization_id ${text} not null references organizations (id),
      workspace_id ${text} references workspaces (id),
      user_id ${text} references users (id),
      name ${text},
      hash ${text} not null unique,
      hint ${text} not null,
      is_irregular ${boolean} not null,
      created_at ${text} not null,
      expires_at ${text},
      revoked_at ${text},
      last_used_at ${text}
    )`,
    'create index api_keys_by_organization on api_keys (organization_id, created_at)',

    `create table audit_heads (organization_id ${text} primary key, log_id ${bigint} not null, hash ${text} not null)`,
    `create table audit_logs (
      organization_id ${text} not null,
      log_id ${bigint} not null,
      workspace_id ${text},
      created_at ${text} not null,
      actor_type ${text} not null,
      actor_metadata ${json} not null,
      event_type ${text} not null,
      event_metadata ${json} not null,
      target_type ${text} not null,
      target_metadata ${json} not null,
      previous_hash ${text} not null,
      hash ${text} not null,
      primary key (organization_id, log_id)
    )`,
    'create index audit_logs_by_time on audit_logs (organization_id, created_at, log_id)',
    `create index audit_logs_by_actor on audit_logs (organization_id, (actor_metadata ->> 'user_uuid'), created_at, log_id)`,
    ...AUDIT_LOGS_APPEND_ONLY[kind],
  ],
};
