import type { Migration } from '../src/kit/db/index.ts';

export const workflowRegistry: Migration = {
  name: '0016-workflow-registry',
  oldestProgram: '0.1.0',
  up: ({ text, json, boolean, bigint }) => [
    `create table workflows (
      id ${text} primary key,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      name ${text} not null,
      display_name ${text} not null,
      description ${text},
      display_name_edited ${boolean} not null,
      description_edited ${boolean} not null,
      available_in_chat_assistant ${boolean} not null,
      is_technical ${boolean} not null,
      archived ${boolean} not null,
      tags ${json} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create unique index workflows_by_name on workflows (workspace_id, name)',
    'create index workflows_by_display_name on workflows (workspace_id, display_name, id)',

    `create table workflow_deployments (
      id ${text} primary key,
      workspace_id ${text} not null,
      name ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create unique index workflow_deployments_by_name on workflow_deployments (workspace_id, name)',

    `create table workflow_workers (
      deployment_id ${text} not null references workflow_deployments (id) on delete cascade,
      name ${text} not null,
      location ${json},
      created_at ${text} not null,
      updated_at ${text} not null,
      seen_ms ${bigint} not null,
      primary key (deployment_id, name)
    )`,

    `create table workflow_registrations (
      id ${text} primary key,
      workspace_id ${text} not null,
      workflow_id ${text} not null references workflows (id) on delete cascade,
      deployment_id ${text} not null references workflow_deployments (id) on delete cascade,
      definition ${json} not null,
      search_keys ${json} not null,
      digest ${text} not null,
      created_at ${text} not null
    )`,
    'create unique index workflow_registrations_by_content on workflow_registrations (workflow_id, deployment_id, digest)',
    'create index workflow_registrations_by_creation on workflow_registrations (workspace_id, created_at, id)',

    `create table workflow_worker_registrations (
      registration_id ${text} not null references workflow_registrations (id) on delete cascade,
      deployment_id ${text} not null,
      worker_name ${text} not null,
      primary key (registration_id, worker_name)
    )`,
    'create index workflow_worker_registrations_by_worker on workflow_worker_registrations (deployment_id, worker_name)',

    `create table workflow_execute_keys (
      principal ${text} not null,
      key ${text} not null,
      request_hash ${text} not null,
      execution_id ${text} not null,
      run_id ${text} not null,
      created_ms ${bigint} not null,
      primary key (principal, key)
    )`,
    'create index workflow_execute_keys_by_age on workflow_execute_keys (created_ms)',

    `create table workflow_schedules (
      workspace_id ${text} not null,
      id ${text} not null,
      organization_id ${text} not null,
      user_id ${text} not null,
      workflow_id ${text} not null,
      workflow_name ${text} not null,
      deployment_name ${text},
      definition ${json} not null,
      input ${json},
      paused ${boolean} not null,
      note ${text},
      remaining ${bigint},
      handled_ms ${bigint} not null,
      buffer ${json} not null,
      version ${bigint} not null,
      task_id ${text},
      created_at ${text} not null,
      updated_at ${text} not null,
      primary key (workspace_id, id)
    )`,
    'create index workflow_schedules_by_creation on workflow_schedules (workspace_id, created_at, id)',
    'create index workflow_runs_by_schedule on workflow_runs (workspace_id, schedule_id, started_at) where schedule_id is not null',
    'create index workflow_runs_by_workflow on workflow_runs (workspace_id, workflow_id, started_at)',

    `create table workflow_payloads (
      sha256 ${text} not null,
      workspace_id ${text} not null,
      packed_ms ${bigint} not null,
      primary key (sha256, workspace_id)
    )`,
    'create index workflow_runs_by_end on workflow_runs (ended_at) where ended_at is not null',

    `create table workflow_log_ids (
      workspace_id ${text} not null,
      id ${text} not null,
      created_ms ${bigint} not null,
      primary key (workspace_id, id)
    )`,
    'create index workflow_log_ids_by_age on workflow_log_ids (created_ms)',
  ],
};
