import type { Migration } from '../src/kit/db/index.ts';

export const workflowEngine: Migration = {
  name: '0015-workflow-engine',
  oldestProgram: '0.1.0',
  up: ({ text, json, bigint, boolean }) => [
    `create table workflow_runs (
      run_id ${text} primary key,
      version ${bigint} not null,
      organization_id ${text} not null,
      workspace_id ${text} not null,
      user_id ${text},
      execution_id ${text} not null,
      is_latest ${boolean} not null,
      has_children ${boolean} not null,
      workflow_id ${text} not null,
      workflow_name ${text} not null,
      display_name ${text},
      registration_id ${text} not null,
      deployment_name ${text} not null,
      root_execution_id ${text} not null,
      parent_execution_id ${text},
      parent_run_id ${text},
      parent_seq ${bigint},
      parent_initiated_id ${bigint},
      parent_waits ${boolean} not null,
      parent_close_policy ${text},
      schedule_id ${text},
      first_run_id ${text} not null,
      continued_run_id ${text},
      metadata ${json},
      search_key_paths ${json} not null,
      timeout_ms ${bigint} not null,
      deadline_ms ${bigint},
      started_at ${text} not null,
      ended_at ${text},
      status ${text} not null,
      result ${json},
      failure ${json},
      cancel_requested ${boolean} not null,
      last_event_id ${bigint} not null,
      history_bytes ${bigint} not null,
      turn_scheduled_id ${bigint},
      turn_attempt ${bigint} not null,
      buffered ${json},
      ready_ms ${bigint},
      lease_seq ${bigint} not null,
      lease_worker ${text},
      lease_until_ms ${bigint},
      sticky_worker ${text},
      sticky_event_id ${bigint} not null,
      due_ms ${bigint}
    )`,
    'create unique index workflow_runs_latest on workflow_runs (workspace_id, execution_id) where is_latest',
    'create index workflow_runs_by_start on workflow_runs (workspace_id, started_at, run_id)',
    'create index workflow_runs_by_root on workflow_runs (workspace_id, root_execution_id)',
    'create index workflow_runs_by_parent on workflow_runs (parent_run_id) where parent_run_id is not null',
    'create index workflow_runs_ready on workflow_runs (workspace_id, deployment_name, ready_ms) where ready_ms is not null',
    'create index workflow_runs_due on workflow_runs (due_ms) where due_ms is not null',

    `create table workflow_history (
      run_id ${text} not null,
      first_event_id ${bigint} not null,
      last_event_id ${bigint} not null,
      events ${json} not null,
      primary key (run_id, first_event_id)
    )`,

    `create table workflow_steps (
      run_id ${text} not null,
      scheduled_event_id ${bigint} not null,
      workspace_id ${text} not null,
      deployment_name ${text} not null,
      seq ${bigint} not null,
      name ${text} not null,
      input ${json} not null,
      options ${json} not null,
      state ${text} not null,
      attempt ${bigint} not null,
      lease_seq ${bigint} not null,
      lost_leases ${bigint} not null,
      lease_worker ${text},
      lease_until_ms ${bigint},
      scheduled_ms ${bigint} not null,
      started_ms ${bigint},
      heartbeat_ms ${bigint},
      last_heartbeat ${json},
      last_failure ${json},
      cancel_requested ${boolean} not null,
      ready_ms ${bigint},
      due_ms ${bigint},
      primary key (run_id, scheduled_event_id)
    )`,
    'create index workflow_steps_ready on workflow_steps (workspace_id, deployment_name, ready_ms) where ready_ms is not null',
    'create index workflow_steps_due on workflow_steps (due_ms) where due_ms is not null',

    `create table workflow_timers (
      run_id ${text} not null,
      seq ${bigint} not null,
      started_event_id ${bigint} not null,
      due_ms ${bigint} not null,
      primary key (run_id, seq)
    )`,
    'create index workflow_timers_due on workflow_timers (due_ms)',

    `create table workflow_updates (
      update_id ${text} primary key,
      run_id ${text} not null,
      outcome ${json},
      created_ms ${bigint} not null
    )`,
    'create index workflow_updates_by_run on workflow_updates (run_id)',

    `create table workflow_queries (
      query_id ${text} primary key,
      workspace_id ${text} not null,
      deployment_name ${text} not null,
      task ${json} not null,
      taken ${boolean} not null,
      outcome ${json},
      created_ms ${bigint} not null
    )`,

    `create table workflow_emitted (
      run_id ${text} not null,
      key ${text} not null,
      primary key (run_id, key)
    )`,

    `create table workflow_search_keys (
      run_id ${text} not null,
      workspace_id ${text} not null,
      key ${text} not null,
      value ${text} not null,
      primary key (run_id, key)
    )`,
    'create index workflow_search_keys_by_value on workflow_search_keys (workspace_id, key, value)',

    `create table workflow_rate_grants (
      workspace_id ${text} not null,
      deployment_name ${text} not null,
      key ${text} not null,
      at_ms ${bigint} not null,
      id ${text} not null,
      primary key (workspace_id, deployment_name, key, at_ms, id)
    )`,
  ],
};
