import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import { type Database, type Db, prepareFor, rowWriter, type Tx } from '../db/index.ts';

declare module '../db/tables.ts' {
  interface Tables {
    event_streams: { stream: string; head: number };
    events: { stream: string; seq: number; type: string; data: unknown; created_at: string };
  }
}

const STREAMS_PER_QUERY = 256;

export type NewEvent = { type: string; data: unknown };
export type StoredEvent = { seq: number; type: string; data: unknown; created_at: string };
/** An event with its data as JSON text. */
export type EncodedEvent = Omit<StoredEvent, 'data'> & { json: string };
export type StreamHead = { stream: string; head: number };

/**
 * Takes the next `count` numbers of the stream and returns the last of them. The row stays locked until the
 * transaction ends, so numbers become visible in their own order, and a rollback gives them back.
 */
export async function takeNumbers(tx: Tx, stream: string, count: number): Promise<number> {
  const [taken] = await take(tx, stream, count);
  if (!taken) throw new Error(`The stream ${stream} has no head.`);
  return taken.head;
}

const take = prepareFor((db, stream: string, count: number) =>
  db
    .insertInto('event_streams')
    .values({ stream, head: count })
    .onConflict((conflict) =>
      conflict.column('stream').doUpdateSet({ head: sql<number>`event_streams.head + excluded.head` }),
    )
    .returning('head'),
);

type EventWriter = {
  insert(tx: Tx, stream: string, events: EncodedEvent[]): Promise<unknown>;
  /** Takes the numbers of many streams at once, and inserts their events; returns them as they are stored. */
  appendMany(tx: Tx, appends: Map<string, NewEvent[]>, stamp: () => string): Promise<Map<string, EncodedEvent[]>>;
};

export function createEventWriter(kind: Database['kind']): EventWriter {
  const takeMany = rowWriter<StreamHead>(
    kind,
    'event_streams',
    ['stream', 'head'],
    'on conflict (stream) do update set head = event_streams.head + excluded.head returning stream, head',
  );
  const insertMany = rowWriter(kind, 'events', ['stream', 'seq', 'type', 'data', 'created_at']);
  const insert = (tx: Tx, stream: string, events: EncodedEvent[]) =>
    insertMany(
      tx,
      events.map(({ seq, type, json, created_at }) => [stream, seq, type, json, created_at]),
    );
  const appendMany: EventWriter['appendMany'] = async (tx, appends, stamp) => {
    // Sorted, so that two writers of the same streams wait for each other in one direction only.
    const counts = [...appends].map(([stream, { length }]): [string, number] => [stream, length]);
    counts.sort(([a], [b]) => (a < b ? -1 : 1));
    if (kind === 'postgres') {
      const stored = await appendTogether(tx, appends, counts, stamp);
      if (stored) return stored;
    }
    const taken = await takeMany(tx, counts);
    const stored = new Map(
      taken.map(({ stream, head }) => {
        const events = appends.get(stream) ?? [];
        return [stream, encodeEvents(events, head, stamp)];
      }),
    );
    const rows = [...stored].flatMap(([stream, events]) =>
      events.map(({ seq, type, json, created_at }) => [stream, seq, type, json, created_at]),
    );
    await insertMany(tx, rows);
    return stored;
  };
  return { insert, appendMany };
}

/** PostgreSQL takes 65,535 values; far fewer are worth being sent together. */
const VALUES_MAX = 10_000;

/** For PostgreSQL, where each statement is a round trip: takes numbers and appends with one. Undefined if it is too much. */
async function appendTogether(
  tx: Tx,
  appends: Map<string, NewEvent[]>,
  counts: [stream: string, count: number][],
  stamp: () => string,
): Promise<Map<string, EncodedEvent[]> | undefined> {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (2 * counts.length + 5 * total > VALUES_MAX) return undefined;
  let mark = 0;
  const values: unknown[] = counts.flat();
  const heads = counts.map(() => `($${++mark}, $${++mark})`);
  const stored = new Map<string, EncodedEvent[]>();
  const rows: string[] = [];
  for (const [stream, count] of counts) {
    // Numbered from 1 until the numbers are known.
    const events = encodeEvents(appends.get(stream) ?? [], count, stamp);
    stored.set(stream, events);
    for (const { seq, type, json, created_at } of events) {
      values.push(stream, count - seq, type, json, created_at);
      rows.push(`($${++mark}::text, $${++mark}::bigint, $${++mark}::text, $${++mark}::json, $${++mark}::text)`);
    }
  }
  const text = `with taken as (
      insert into event_streams (stream, head) values ${heads.join(', ')}
      on conflict (stream) do update set head = event_streams.head + excluded.head returning stream, head
    ), appended as (
      insert into events (stream, seq, type, data, created_at)
      select event.stream, taken.head - event.back, event.type, event.data, event.created_at
      from (values ${rows.join(', ')}) as event(stream, back, type, data, created_at)
      join taken on taken.stream = event.stream
    ) select stream, head from taken`;
  const taken = await tx.executeQuery<StreamHead>(CompiledQuery.raw(text, values));
  for (const { stream, head } of taken.rows) {
    const events = stored.get(stream) ?? [];
    for (const event of events) event.seq += head - events.length;
  }
  return stored;
}

/** The events whose last number is `head`. */
export function encodeEvents(events: NewEvent[], head: number, stamp: () => string): EncodedEvent[] {
  const first = head - events.length + 1;
  // A driver stores a plain string as it is, so text that should come back as a JSON string is encoded here.
  return events.map(({ type, data }, i) => {
    return { seq: first + i, type, json: JSON.stringify(data ?? null), created_at: stamp() };
  });
}

export async function listEvents(
  db: Db,
  stream: string,
  page: { after: number; limit: number },
): Promise<StoredEvent[]> {
  return db
    .selectFrom('events')
    .select(['seq', 'type', 'data', 'created_at'])
    .where('stream', '=', stream)
    .where('seq', '>', page.after)
    .orderBy('seq')
    .limit(page.limit)
    .execute();
}

/** The pages of many streams in one statement of PostgreSQL; `place` is that of the stream in the question, from 1 on. */
export async function listEventsOfMany(
  db: Db,
  asked: readonly { stream: string; after: number }[],
  limit: number,
): Promise<(StoredEvent & { place: number })[]> {
  const wanted = JSON.stringify(asked.map(({ stream, after }) => [stream, after]));
  const { rows } = await sql<StoredEvent & { place: number }>`
    select asked.place, found.seq, found.type, found.data, found.created_at
    from json_array_elements(${wanted}::json) with ordinality as asked (one, place)
    cross join lateral (
      select seq, type, data, created_at from events
      where stream = (one ->> 0) and seq > (one ->> 1)::bigint order by seq limit ${limit}
    ) as found
    order by asked.place, found.seq`.execute(db);
  return rows;
}

export async function findHead(db: Db, stream: string): Promise<number> {
  const row = await db.selectFrom('event_streams').select('head').where('stream', '=', stream).executeTakeFirst();
  return row?.head ?? 0;
}

/** The heads of many streams, a few at a time: SQLite blocks the event loop, and requests must run in between. */
export async function* listHeads(db: Db, streams: string[]): AsyncGenerator<StreamHead[]> {
  for (let i = 0; i < streams.length; i += STREAMS_PER_QUERY) {
    if (i > 0) await nextTurn();
    const asked = padToPowerOfTwo(streams.slice(i, i + STREAMS_PER_QUERY));
    yield await db.selectFrom('event_streams').select(['stream', 'head']).where('stream', 'in', asked).execute();
  }
}

export async function deleteEvents(tx: Tx, stream: string, upTo: number): Promise<void> {
  await tx.deleteFrom('events').where('stream', '=', stream).where('seq', '<=', upTo).execute();
}

export async function deleteStream(tx: Tx, stream: string): Promise<void> {
  await tx.deleteFrom('events').where('stream', '=', stream).execute();
  await tx.deleteFrom('event_streams').where('stream', '=', stream).execute();
}

// Every list length is a statement of its own and would fill the statement cache; padding leaves eleven lengths.
function padToPowerOfTwo(streams: string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(streams.length));
  return streams.concat(Array<string>(length - streams.length).fill(streams.at(-1) ?? ''));
}
