import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, prepareFor, type Tx } from '../../db/index.ts';

type EventRow = { stream: string; seq: number; type: string; data: unknown; created_at: string };

declare module '../../db/tables.ts' {
  interface Tables {
    event_streams: { stream: string; head: number; shared?: string | null };
    whole_events: EventRow;
    /** `events` is JSON, `[[type, …values], …]`; `shared` is their form, null where it is that of the stream. */
    event_batches: { stream: string; last_seq: number; shared: string | null; events: string; created_at: string };
    /** A view of all events. Pages are read in `read-events.ts`, because a view cannot stop at a limit. */
    events: EventRow;
  }
}

const STREAMS_PER_QUERY = 256;

export type StoredEvent = { seq: number; type: string; data: unknown; created_at: string };
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
  await tx.deleteFrom('whole_events').where('stream', '=', stream).where('seq', '<=', upTo).execute();
  await tx.deleteFrom('event_batches').where('stream', '=', stream).where('last_seq', '<=', upTo).execute();
}

export async function deleteStream(tx: Tx, stream: string): Promise<void> {
  await tx.deleteFrom('whole_events').where('stream', '=', stream).execute();
  await tx.deleteFrom('event_batches').where('stream', '=', stream).execute();
  await tx.deleteFrom('event_streams').where('stream', '=', stream).execute();
}

// Every list length is a statement of its own and would fill the statement cache; padding leaves eleven lengths.
function padToPowerOfTwo(streams: string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(streams.length));
  return streams.concat(Array<string>(length - streams.length).fill(streams.at(-1) ?? ''));
}
