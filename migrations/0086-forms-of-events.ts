import type { Database, Migration } from '../src/kit/db/index.ts';

/**
 * What events of a run have in common is the whole form of their JSON, with marks for their type and up to three values. The view of
 * 0079, which servers of the previous version read, puts them in.
 */
export const formsOfEvents: Migration = {
  name: '0086-forms-of-events',
  oldestProgram: '0.1.0',
  up: (_, kind) => [...(kind === 'sqlite' ? SQLITE : [POSTGRES]), ...indexesOfRuns(kind)],
};

/** Before there were forms, which begin with a brace, it was members with a comma after each. */
function dataOf(value: (place: number) => string, mark: (place: number) => string): string {
  const form = `coalesce(batch.shared, streams.shared, '')`;
  let filled = form;
  for (let place = 0; place < 4; place++) filled = `replace(${filled}, ${mark(place)}, coalesce(${value(place)}, ''))`;
  return `case when substr(${form}, 1, 1) = '{' then ${filled} else '{' || ${form} || substr(${value(1)}, 2) end`;
}

/** Every start and every end of an execution writes to all of them: descendants only, and ids that are unique without a workspace. */
const indexesOfRuns = (kind: Database['kind']) => [
  'drop index workflow_runs_by_tree',
  `create index workflow_runs_by_tree on workflow_runs
    (workspace_id, root_execution_id, ended_at${kind === 'sqlite' ? '' : ' nulls first'}) where root_execution_id <> execution_id`,
  'drop index workflow_runs_by_workflow',
  'create index workflow_runs_by_workflow on workflow_runs (workflow_id, started_at)',
];

const SQLITE = [
  // Its triggers go with it.
  'drop view events',
  `create view events as
    select stream, seq, type, data, created_at from whole_events
    union all
    select batch.stream, batch.last_seq - json_array_length(batch.events) + one.key + 1, one.value ->> 0,
      ${dataOf(
        (place) => `(one.value -> ${place})`,
        (place) => `char(${place + 1})`,
      )}, batch.created_at
    from event_batches as batch
    left join event_streams as streams on streams.stream = batch.stream
    join json_each(batch.events) as one`,
  `create trigger events_insert instead of insert on events begin
    insert into whole_events (stream, seq, type, data, created_at)
    values (new.stream, new.seq, new.type, new.data, new.created_at);
  end`,
  `create trigger events_delete instead of delete on events begin
    delete from whole_events where stream = old.stream and seq = old.seq;
    delete from event_batches where stream = old.stream and last_seq >= old.seq
      and last_seq - json_array_length(events) < old.seq;
  end`,
];

const POSTGRES = `create or replace view events as
  select stream, seq, type, data, created_at from whole_events
  union all
  select batch.stream, batch.last_seq - json_array_length(batch.events::json) + one.place, one.event ->> 0,
    (${dataOf(
      (place) => `(one.event -> ${place})::text`,
      (place) => `chr(${place + 1})`,
    )})::json, batch.created_at
  from event_batches as batch
  left join event_streams as streams on streams.stream = batch.stream
  cross join lateral json_array_elements(batch.events::json) with ordinality as one (event, place)`;
