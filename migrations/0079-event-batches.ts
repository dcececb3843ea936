import type { Database, Migration } from '../src/kit/db/index.ts';

/**
 * Events that are appended together are one row, without what all events of their stream share. `events` becomes a view of
 * all of them, also for servers of the previous version, which read it and write to it.
 */
export const eventBatches: Migration = {
  name: '0079-event-batches',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }, kind) => [
    'alter table events rename to whole_events',
    // Members of a JSON object with a comma after each, such as `"a":1,"b":2,`.
    `alter table event_streams add column shared ${text}`,
    // `shared` is null where it is that of the stream. `events` is JSON: [[type, data without what is shared], …].
    `create table event_batches (
      stream ${text} not null,
      last_seq ${bigint} not null,
      shared ${text},
      events ${text} not null,
      created_at ${text} not null,
      primary key (stream, last_seq)
    )`,
    ...VIEW[kind],
  ],
};

const VIEW: Record<Database['kind'], string[]> = {
  sqlite: [
    `create view events as
      select stream, seq, type, data, created_at from whole_events
      union all
      select batch.stream, batch.last_seq - json_array_length(batch.events) + one.key + 1, one.value ->> 0,
        '{' || coalesce(batch.shared, streams.shared, '') || substr(one.value -> 1, 2), batch.created_at
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
  ],
  postgres: [
    `create view events as
      select stream, seq, type, data, created_at from whole_events
      union all
      select batch.stream, batch.last_seq - json_array_length(batch.events::json) + one.place, one.event ->> 0,
        ('{' || coalesce(batch.shared, streams.shared, '') || substr((one.event -> 1)::text, 2))::json, batch.created_at
      from event_batches as batch
      left join event_streams as streams on streams.stream = batch.stream
      cross join lateral json_array_elements(batch.events::json) with ordinality as one (event, place)`,
    `create function change_events() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into whole_events (stream, seq, type, data, created_at)
          values (new.stream, new.seq, new.type, new.data, new.created_at);
          return new;
        end if;
        delete from whole_events where stream = old.stream and seq = old.seq;
        delete from event_batches where stream = old.stream and last_seq >= old.seq
          and last_seq - json_array_length(events::json) < old.seq;
        return old;
      end $$`,
    `create trigger events_change instead of insert or delete on events
      for each row execute function change_events()`,
  ],
};
