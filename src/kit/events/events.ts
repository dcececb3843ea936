import { type Clock, isoMicros } from '../base/clock.ts';
import { afterCommit, type Database, type Db, type Tx } from '../db/index.ts';
import type { EncodedEvent, NewEvent } from './encode-events.ts';
import { createReadElsewhere } from './read-elsewhere.ts';
import { listEvents } from './store/read-events.ts';
import { deleteEvents, deleteStream, findHead, type StoredEvent } from './store/streams.ts';
import { createEventWriter } from './store/write-events.ts';
import { createStreamWatches, topicOf } from './watch-streams.ts';

const POLL_MS = 1000;
/** An event may have 256 KiB, and a page is read and parsed at once. */
const PAGE_SIZE = 64;

export type EventsOptions = { database: Database; now: Clock; pollMs?: number; pageSize?: number };

export type TailOptions = {
  /** The number after which to start; 0 is the beginning. */
  after?: number;
  /** Ends the tail; the only way to end one that waits. */
  signal: AbortSignal;
  /** True for the last event: it is still yielded, then the tail ends. */
  until?: (event: StoredEvent) => boolean;
};

export type Events = {
  /** Appends in the caller's transaction and returns the last number. Readers are woken after the commit. */
  append(tx: Tx, stream: string, events: NewEvent[]): Promise<number>;
  /** Appends to many streams with few statements and rows, for group commits. */
  appendMany(tx: Tx, appends: Map<string, NewEvent[]>): Promise<void>;
  /** History first, then live: every event after `after` once, in order, none before it is durable. */
  tail(stream: string, options: TailOptions): AsyncGenerator<StoredEvent, void, undefined>;
  list(db: Db, stream: string, page: { after: number; limit: number }): Promise<StoredEvent[]>;
  /** The last number of the stream; 0 when it has no events. */
  head(db: Db, stream: string): Promise<number>;
  /** Whether a reader of this process waits for events of the stream. */
  isWatched(stream: string): boolean;
  /** Deletes the events up to this number; later ones keep theirs. What was appended together goes with its last one. */
  trim(tx: Tx, stream: string, upTo: number): Promise<void>;
  /** Deletes the stream. Its name must not be reused: open tails would not notice that numbers started over. */
  remove(tx: Tx, stream: string): Promise<void>;
  /** Ends all tails and the poller. */
  stop(): Promise<void>;
};

export function createEvents({ database, now, pollMs = POLL_MS, pageSize = PAGE_SIZE }: EventsOptions): Events {
  const writer = createEventWriter(database.kind);
  const elsewhere = createReadElsewhere(database);
  const watches = createStreamWatches(database, elsewhere, { pollMs, pageSize });

  /** Wakes readers everywhere. Those of this process that wait for just these events need not read them. */
  function announce(stream: string, events: EncodedEvent[]): void {
    database.wakeups.wake(topicOf(stream), elsewhere.newsOf(stream, events));
    watches.offer(stream, events);
  }

  return {
    async append(tx, stream, events) {
      if (events.length === 0) return findHead(tx, stream);
      const stored = await writer.append(tx, stream, events, isoMicros(now));
      afterCommit(tx, () => announce(stream, stored));
      return stored.at(-1)?.seq ?? 0;
    },
    async appendMany(tx, appends) {
      const stored = await writer.appendMany(tx, appends, isoMicros(now));
      afterCommit(tx, () => {
        for (const [stream, events] of stored) announce(stream, events);
      });
    },
    async *tail(stream, { after = 0, signal, until }) {
      // Listening starts before the first read, so a commit in between is not missed.
      const reader = watches.open(stream, after, signal);
      try {
        while (!reader.ended) {
          await reader.readPage();
          for (let event = reader.take(); event; event = reader.take()) {
            yield event;
            if (until?.(event)) return;
          }
          if (reader.caughtUp) await reader.news();
        }
      } finally {
        reader.end();
      }
    },
    isWatched: watches.has,
    list: listEvents,
    head: findHead,
    trim: deleteEvents,
    remove: deleteStream,
    async stop() {
      elsewhere.stop();
      await watches.stop();
    },
  };
}
