import { CompiledQuery } from 'kysely';
import { type Database, rowWriter, type Tx } from '../../db/index.ts';
import { batchText, type EncodedEvent, encodeEvents, jsonOf, type NewEvent, toBatches } from '../encode-events.ts';
import { takeNumbers } from './streams.ts';

type Taken = { stream: string; head: number; shared: string | null };
/** The form is that of its first event, for a stream that begins now. */
type Wanted = [stream: string, count: number, form: string | null];

type EventWriter = {
  /** Takes the next numbers of a stream, and inserts its events, each as a row; returns them as they are stored. */
  append(tx: Tx, stream: string, events: NewEvent[], createdAt: string): Promise<EncodedEvent[]>;
  /** Takes the numbers of many streams at once, and inserts their events; returns them as they are stored. */
  appendMany(tx: Tx, appends: Map<string, NewEvent[]>, createdAt: string): Promise<Map<string, EncodedEvent[]>>;
};

const WHOLE = ['stream', 'seq', 'type', 'data', 'created_at'];
const BATCH = ['stream', 'last_seq', 'shared', 'events', 'created_at'];

export function createEventWriter(kind: Database['kind']): EventWriter {
  const takeMany = rowWriter<Taken>(
    kind,
    'event_streams',
    ['stream', 'head', 'shared'],
    'on conflict (stream) do update set head = event_streams.head + excluded.head returning stream, head, shared',
  );
  const insertWhole = rowWriter(kind, 'whole_events', WHOLE);
  const insertBatches = rowWriter(kind, 'event_batches', BATCH);
  return {
    async append(tx, stream, events, createdAt) {
      if (kind === 'postgres') {
        const appends = new Map([[stream, events]]);
        const together = await appendTogether(tx, appends, [[stream, events.length, null]], createdAt, asWhole);
        const stored = together?.get(stream);
        if (stored) return stored;
      }
      const stored = encodeEvents(events, await takeNumbers(tx, stream, events.length), createdAt);
      await insertWhole(
        tx,
        stored.map((event) => [stream, event.seq, event.type, jsonOf(event), createdAt]),
      );
      return stored;
    },
    async appendMany(tx, appends, createdAt) {
      const wanted = [...appends].map(([stream, events]): Wanted => [stream, events.length, events[0]?.form || null]);
      // Sorted, so that two writers of the same streams wait for each other in one direction only.
      wanted.sort(([a], [b]) => (a < b ? -1 : 1));
      if (kind === 'postgres') {
        const stored = await appendTogether(tx, appends, wanted, createdAt, toBatches);
        if (stored) return stored;
      }
      const stored = new Map<string, EncodedEvent[]>();
      const wholeRows: unknown[][] = [];
      const batchRows: unknown[][] = [];
      for (const { stream, head, shared } of await takeMany(tx, wanted)) {
        const encoded = encodeEvents(appends.get(stream) ?? [], head, createdAt);
        stored.set(stream, encoded);
        const { whole, batches } = toBatches(encoded);
        for (const event of whole) wholeRows.push([stream, event.seq, event.type, jsonOf(event), createdAt]);
        for (const batch of batches) {
          const form = batch[0]?.form ?? '';
          batchRows.push([stream, batch.at(-1)?.seq, form === shared ? null : form, batchText(batch), createdAt]);
        }
      }
      if (batchRows.length > 0) await insertBatches(tx, batchRows);
      if (wholeRows.length > 0) await insertWhole(tx, wholeRows);
      return stored;
    },
  };
}

const asWhole: typeof toBatches = (events) => ({ whole: [...events], batches: [] });

/** PostgreSQL takes 65,535 values; far fewer are worth being sent together. */
const VALUES_MAX = 10_000;

/** For PostgreSQL, where each statement is a round trip: takes numbers and appends with one. Undefined if it is too much. */
async function appendTogether(
  tx: Tx,
  appends: Map<string, NewEvent[]>,
  wanted: Wanted[],
  createdAt: string,
  toRows: typeof toBatches,
): Promise<Map<string, EncodedEvent[]> | undefined> {
  const total = wanted.reduce((sum, [, count]) => sum + count, 0);
  if (3 * wanted.length + 5 * total > VALUES_MAX) return undefined;
  let mark = 0;
  const values: unknown[] = wanted.flat();
  const heads = wanted.map(() => `($${++mark}, $${++mark}, $${++mark})`);
  const stored = new Map<string, EncodedEvent[]>();
  const [wholeRows, batchRows]: [string[], string[]] = [[], []];
  for (const [stream, count] of wanted) {
    // Numbered from 1 until the numbers are known.
    const events = encodeEvents(appends.get(stream) ?? [], count, createdAt);
    stored.set(stream, events);
    const { whole, batches } = toRows(events);
    for (const event of whole) {
      values.push(stream, count - event.seq, event.type, jsonOf(event), createdAt);
      wholeRows.push(`($${++mark}::text, $${++mark}::bigint, $${++mark}::text, $${++mark}::json, $${++mark}::text)`);
    }
    for (const batch of batches) {
      values.push(stream, count - (batch.at(-1)?.seq ?? 0), batch[0]?.form ?? '', batchText(batch), createdAt);
      batchRows.push(`($${++mark}::text, $${++mark}::bigint, $${++mark}::text, $${++mark}::text, $${++mark}::text)`);
    }
  }
  const parts = [
    `taken as (
      insert into event_streams (stream, head, shared) values ${heads.join(', ')}
      on conflict (stream) do update set head = event_streams.head + excluded.head returning stream, head, shared)`,
  ];
  if (wholeRows.length > 0)
    parts.push(`whole as (
      insert into whole_events (${WHOLE.join(', ')})
      select event.stream, taken.head - event.back, event.type, event.data, event.created_at
      from (values ${wholeRows.join(', ')}) as event(stream, back, type, data, created_at)
      join taken on taken.stream = event.stream)`);
  if (batchRows.length > 0)
    parts.push(`batched as (
      insert into event_batches (${BATCH.join(', ')})
      select batch.stream, taken.head - batch.back, nullif(batch.shared, taken.shared), batch.events, batch.created_at
      from (values ${batchRows.join(', ')}) as batch(stream, back, shared, events, created_at)
      join taken on taken.stream = batch.stream)`);
  const text = `with ${parts.join(', ')} select stream, head from taken`;
  const taken = await tx.executeQuery<Taken>(CompiledQuery.raw(text, values));
  for (const { stream, head } of taken.rows) {
    const events = stored.get(stream) ?? [];
    for (const event of events) event.seq += head - events.length;
  }
  return stored;
}
