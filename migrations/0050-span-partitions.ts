import type { Migration } from '../src/kit/db/index.ts';

const DAY_US = 86_400_000_000;

/**
 * On PostgreSQL spans are in a partition for each day (UTC), which is dropped whole when it is too old. Rows that are here
 * already stay where they are: their table becomes the partition of all days up to the last one it has.
 * What no day has a partition for is in `spans_default`, so that no span is refused.
 */
export const spanPartitions: Migration = {
  name: '0050-span-partitions',
  oldestProgram: '0.1.0',
  up: (_, kind) => (kind === 'sqlite' ? [] : STATEMENTS),
};

const STATEMENTS = [
  'alter table spans rename to spans_before',
  'alter table spans_before rename constraint spans_pkey to spans_before_pkey',
  ...['trace', 'conversation', 'error'].map((by) => `alter index spans_by_${by} rename to spans_before_by_${by}`),
  'create table spans (like spans_before including defaults) partition by range (start_us)',
  'alter table spans add constraint spans_pkey primary key (workspace_id, start_us, span_id)',
  'create index spans_by_trace on spans (workspace_id, trace_id)',
  "create index spans_by_conversation on spans (workspace_id, conversation_id, start_us) where conversation_id <> ''",
  "create index spans_by_error on spans (workspace_id, start_us) where status_code = 'Error'",
  'create table spans_default partition of spans default',
  // The end is after all rows, also those with a time in the future, so that none of them can be in the way.
  `do $$
    declare
      day_us constant bigint := ${DAY_US};
      last_us bigint;
      end_us bigint;
    begin
      select max(start_us) into last_us from spans_before;
      end_us := case when last_us is null
        then floor(extract(epoch from now()) * 1000000 / day_us)::bigint * day_us
        else (floor(last_us::numeric / day_us)::bigint + 1) * day_us end;
      execute format('alter table spans attach partition spans_before for values from (minvalue) to (%s)', end_us);
    end
  $$`,
];
