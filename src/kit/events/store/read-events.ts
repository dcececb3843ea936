import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import { createFiller } from '../forms.ts';
import type { StoredEvent } from './streams.ts';

type Page = { after: number; limit: number };

/** A whole event, or a batch: without a type, `seq` is its last number and `text` the list of its events. */
type Row = { seq: number; type: string | null; text: string; form: string; created_at: string };
type Filler = ReturnType<typeof createFiller>;

export async function listEvents(db: Db, stream: string, { after, limit }: Page): Promise<StoredEvent[]> {
  return toPage(await readRows(db, stream, after, limit), { after, limit });
}

// The first events of both kinds, up to the limit each, hold the first ones of all. A view could not stop there.
function readRows(db: Db, stream: string, after: number, limit: number): Promise<Row[]> {
  const whole = db
    .selectFrom('whole_events')
    .select(['seq', 'type', sql<string>`cast(data as text)`.as('text')])
    .select([sql<string>`cast('' as text)`.as('form'), 'created_at'])
    .where('stream', '=', stream)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit);
  const batched = db
    .selectFrom('event_batches as batch')
    .leftJoin('event_streams as streams', 'streams.stream', 'batch.stream')
    .select(['batch.last_seq as seq', sql<string | null>`cast(null as text)`.as('type'), 'batch.events as text'])
    .select([sql<string>`coalesce(batch.shared, streams.shared, '')`.as('form'), 'batch.created_at'])
    .where('batch.stream', '=', stream)
    .where('batch.last_seq', '>', after)
    .orderBy('batch.last_seq')
    .limit(limit);
  return db
    .selectFrom(whole.as('whole'))
    .select(['seq', sql<string | null>`type`.as('type'), 'text', 'form', 'created_at'])
    .unionAll(db.selectFrom(batched.as('batched')).select(['seq', 'type', 'text', 'form', 'created_at']))
    .execute();
}

/** The pages of many streams in one statement of PostgreSQL, in the order of the question. */
export async function listEventsOfMany(
  db: Db,
  asked: readonly { stream: string; after: number }[],
  limit: number,
): Promise<StoredEvent[][]> {
  const wanted = JSON.stringify(asked.map(({ stream, after }) => [stream, after]));
  const { rows } = await sql<Row & { place: number }>`
    select asked.place, found.* from json_array_elements(${wanted}::json) with ordinality as asked (one, place)
    cross join lateral (
      (select seq, type, data::text as text, '' as form, created_at from whole_events
        where stream = (one ->> 0) and seq > (one ->> 1)::bigint order by seq limit ${limit})
      union all
      (select last_seq, null, events, coalesce(batch.shared, streams.shared, '') as form, created_at
        from event_batches as batch left join event_streams as streams on streams.stream = batch.stream
        where batch.stream = (one ->> 0) and last_seq > (one ->> 1)::bigint order by last_seq limit ${limit})
    ) as found`.execute(db);
  const found = asked.map((): Row[] => []);
  for (const { place, ...row } of rows) found[Number(place) - 1]?.push(row);
  return found.map((own, at) => toPage(own, { after: asked[at]?.after ?? 0, limit }));
}

function toPage(rows: readonly Row[], { after, limit }: Page): StoredEvent[] {
  const fill = createFiller();
  const events = rows.flatMap((row) => toEvents(row, fill)).filter(({ seq }) => seq > after);
  events.sort((a, b) => a.seq - b.seq);
  return events.slice(0, limit);
}

function toEvents(row: Row, fill: Filler): StoredEvent[] {
  const { seq, type, text, created_at } = row;
  try {
    return type === null ? openBatch(row, fill) : [{ seq, type, data: JSON.parse(text) as unknown, created_at }];
  } catch {
    // A damaged value comes back as its text, as everywhere: it fails where it is used, and the other events are read.
    return [{ seq, type: type ?? '', data: text, created_at }];
  }
}

function openBatch({ seq, text, form, created_at }: Row, fill: Filler): StoredEvent[] {
  const batch = JSON.parse(text) as [type: string, ...values: unknown[]][];
  const first = seq - batch.length + 1;
  return batch.map(([type, ...values], i) => {
    const data = form === '' ? values[0] : fill(form, type, values);
    return { seq: first + i, type, data, created_at };
  });
}
