import type { Database } from '../db/index.ts';
import { listEvents, listEventsOfMany } from './store/read-events.ts';
import type { StoredEvent } from './store/streams.ts';

/** At most this many streams in a statement: each may have a page of events. */
const STREAMS_MAX = 32;

type Asked = PromiseWithResolvers<StoredEvent[]> & { stream: string; after: number };

/**
 * The next page of a stream. One notification of another server wakes readers of many streams at once; on PostgreSQL all that
 * they ask for in one turn of the event loop is one round trip. What is asked for later is never answered by an earlier read.
 */
export function createReadTogether({ db, kind }: Database, limit: number) {
  let waiting: Asked[] = [];

  async function readAll(asked: Asked[]): Promise<void> {
    const [only] = asked;
    try {
      if (only && asked.length === 1)
        return only.resolve(await listEvents(db, only.stream, { after: only.after, limit }));
      const pages = await listEventsOfMany(db, asked, limit);
      for (const [index, { resolve }] of asked.entries()) resolve(pages[index] ?? []);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  function flush(): void {
    const asked = waiting;
    waiting = [];
    for (let from = 0; from < asked.length; from += STREAMS_MAX) void readAll(asked.slice(from, from + STREAMS_MAX));
  }

  return (stream: string, after: number): Promise<StoredEvent[]> => {
    // SQLite has no round trips, and a longer statement would block for longer.
    if (kind === 'sqlite') return listEvents(db, stream, { after, limit });
    const one = { ...Promise.withResolvers<StoredEvent[]>(), stream, after };
    waiting.push(one);
    if (waiting.length === 1) setImmediate(flush);
    return one.promise;
  };
}
