import { SlotMap } from '../base/slot-map.ts';
import type { Database } from '../db/index.ts';
import type { EncodedEvent } from './encode-events.ts';
import { createFiller } from './forms.ts';
import { createHeadPoller } from './poll-heads.ts';
import { fromNews, type ReadElsewhere } from './read-elsewhere.ts';
import { createReadTogether } from './read-together.ts';
import { Reader, type StreamSource } from './reader.ts';
import type { StoredEvent } from './store/streams.ts';

const ASK_AGAIN_MS = 10_000;

export function topicOf(stream: string): string {
  return `events:${stream}`;
}

/** The streams that are read in this process, each with its readers, and the one poller for all of them. */
export type StreamWatches = {
  open(stream: string, after: number, signal: AbortSignal): Reader;
  has(stream: string): boolean;
  /** Events of this process that are durable now, after their readers were woken. */
  offer(stream: string, events: EncodedEvent[]): void;
  stop(): Promise<void>;
};

export function createStreamWatches(
  database: Database,
  elsewhere: ReadElsewhere,
  { pollMs, pageSize }: { pollMs: number; pageSize: number },
): StreamWatches {
  const watches = new SlotMap<StreamWatch>();
  const readPage = createReadTogether(database, pageSize);
  let stopped = false;
  const poller = createHeadPoller({
    db: database.db,
    pollMs,
    streams: () => [...watches.keys()],
    onHead: (stream, head) => watches.get(stream)?.wake(head),
  });

  function watch(stream: string): StreamWatch {
    const created = new StreamWatch(database, stream, pageSize, readPage, () => {
      watches.delete(stream);
      unlisten();
      if (watches.size === 0) void poller.stop();
    });
    const unlisten = database.wakeups.listen(topicOf(stream), (news) => {
      created.wake();
      if (!news) return;
      if (news.length === 0) created.askWith(elsewhere);
      else created.offer(news.flatMap(fromNews));
    });
    watches.set(stream, created);
    poller.start();
    return created;
  }

  return {
    open(stream, after, signal) {
      const reader = (watches.get(stream) ?? watch(stream)).add(after, signal);
      if (stopped || signal.aborted) reader.end();
      return reader;
    },
    has: (stream) => watches.has(stream),
    offer: (stream, events) => watches.get(stream)?.offer(toStored(events)),
    async stop() {
      stopped = true;
      for (const { readers } of watches.values()) for (const reader of readers) reader.end();
      await poller.stop();
    },
  };
}

class StreamWatch implements StreamSource {
  readonly readers = new Set<Reader>();
  readonly pageSize: number;
  readonly #database: Database;
  readonly #stream: string;
  readonly #readPage: (stream: string, after: number) => Promise<StoredEvent[]>;
  readonly #onEmpty: () => void;
  /** What was written last, for readers that wait right before it. */
  #offered: StoredEvent[] | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;
  #reading: { after: number; page: Promise<StoredEvent[]> } | undefined;

  constructor(
    database: Database,
    stream: string,
    pageSize: number,
    readPage: (stream: string, after: number) => Promise<StoredEvent[]>,
    onEmpty: () => void,
  ) {
    this.#database = database;
    this.#stream = stream;
    this.pageSize = pageSize;
    this.#readPage = readPage;
    this.#onEmpty = onEmpty;
  }

  add(after: number, signal: AbortSignal): Reader {
    const reader = new Reader(this, after, signal);
    this.readers.add(reader);
    return reader;
  }

  leave(reader: Reader): void {
    this.readers.delete(reader);
    if (this.readers.size === 0) this.#onEmpty();
  }

  wake(head = Number.POSITIVE_INFINITY): void {
    // A read in progress may have missed the event, so no further reader may join it.
    this.#reading = undefined;
    // There may be more than what was offered.
    this.#offered = undefined;
    for (const reader of this.readers) if (reader.after < head) reader.wake();
  }

  /** Once in a while: long events are never sent along. */
  askWith(elsewhere: ReadElsewhere): void {
    const nowMs = performance.now();
    if (nowMs - this.#askedMs < ASK_AGAIN_MS) return;
    this.#askedMs = nowMs;
    elsewhere.ask(this.#stream);
  }

  /** Saves readers that wait for the next event a query. Those that are behind read as always. */
  offer(offered: StoredEvent[]): void {
    const [first] = offered;
    if (!first || offered.length >= this.pageSize || offered.some(({ seq }, i) => seq !== first.seq + i)) return;
    this.#offered = offered;
    // They resume within this turn of the event loop.
    setImmediate(() => {
      if (this.#offered === offered) this.#offered = undefined;
    });
  }

  /** Readers at the same position share one read: an event for a thousand clients is read once. */
  read(after: number): Promise<StoredEvent[]> {
    if (this.#offered?.[0]?.seq === after + 1) return Promise.resolve(this.#offered);
    if (this.#reading?.after === after) return this.#reading.page;
    const reading = { after, page: this.#readDurable(after) };
    const forget = () => {
      if (this.#reading === reading) this.#reading = undefined;
    };
    reading.page.then(forget, forget);
    this.#reading = reading;
    return reading.page;
  }

  // On SQLite a commit is visible before it is on disk; a client must not see what a crash could undo.
  async #readDurable(after: number): Promise<StoredEvent[]> {
    const page = await this.#readPage(this.#stream, after);
    if (page.length > 0) await this.#database.durable();
    return page;
  }
}

function toStored(events: readonly EncodedEvent[]): StoredEvent[] {
  const fill = createFiller();
  return events.map(({ seq, type, form, own, created_at }) => {
    const read = JSON.parse(own) as unknown;
    return { seq, type, data: form === '' ? read : fill(form, type, read as unknown[]), created_at };
  });
}
