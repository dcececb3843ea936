import type { Migration } from '../src/kit/db/index.ts';

/** Who keeps what was said, what users think of answers, and logs. All are empty, and off, after an upgrade. */
export const spanContents: Migration = {
  name: '0044-span-contents',
  oldestProgram: '0.1.0',
  up: async ({ text, json, bigint, boolean, number }, kind) => [
    `create table content_settings (
      workspace_id ${text} primary key,
      enabled ${boolean} not null,
      sample_rate ${number} not null,
      retention_days ${bigint} not null,
      updated_at ${text} not null,
      updated_by ${text} not null
    )`,
    `create table span_feedback (
      workspace_id ${text} not null,
      start_us ${bigint} not null,
      span_id ${text} not null,
      trace_id ${text} not null,
      user_id ${text} not null,
      rating ${text} not null,
      note ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null,
      primary key (workspace_id, span_id, user_id)
    )`,
    'create index span_feedback_by_rating on span_feedback (workspace_id, rating, start_us)',
    `create table logs (
      workspace_id ${text} not null,
      time_us ${bigint} not null,
      log_id ${text} not null,
      trace_id ${text} not null,
      span_id ${text} not null,
      organization_id ${text} not null,
      user_id ${text} not null,
      severity_number ${bigint} not null,
      severity_text ${text} not null,
      service_name ${text} not null,
      body ${text} not null,
      event_name ${text} not null,
      details ${json},
      primary key (workspace_id, time_us, log_id)
    )${kind === 'sqlite' ? ' without rowid' : ''}`,
    "create index logs_by_trace on logs (workspace_id, trace_id) where trace_id <> ''",
  ],
};
