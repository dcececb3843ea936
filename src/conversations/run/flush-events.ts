import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Events, NewEvent } from '../../kit/events/index.ts';

const REST_MS = 50;

/** What one run has to show. */
export type EventSource = {
  stream: string;
  take(): NewEvent[];
  putBack(): void;
  /** Runs when nothing else of this source is being written, and keeps others waiting until it ends. */
  inLine<T>(write: () => Promise<T>): Promise<T>;
};

export type EventFlusher = {
  /** The source has something to show: at once when nothing was written lately, else within 50 ms. */
  expect(source: EventSource): void;
};

/** Writes the growing words of all runs together: a transaction for each would cost more than the words. */
export function createEventFlusher(database: Database, events: Events, log: Logger): EventFlusher {
  const expected = new Set<EventSource>();
  let isResting = false;

  async function flush(): Promise<void> {
    const sources = [...expected];
    expected.clear();
    try {
      await write(sources);
    } catch (error) {
      // They are put back, and go with the next entry of their run or with the next flush.
      log.error({ err: error }, 'events of running conversations could not be written yet');
    }
    setTimeout(() => {
      isResting = false;
      begin();
    }, REST_MS).unref();
  }

  async function write(sources: EventSource[], at = 0): Promise<void> {
    const source = sources[at];
    if (source) return source.inLine(() => write(sources, at + 1));
    const taken = sources.map((from) => ({ from, news: from.take() })).filter(({ news }) => news.length > 0);
    if (taken.length === 0) return;
    try {
      await database.transaction(async (tx) => {
        await events.appendMany(tx, new Map(taken.map(({ from, news }) => [from.stream, news])));
      });
    } catch (error) {
      for (const { from } of taken) from.putBack();
      throw error;
    }
  }

  function begin(): void {
    if (isResting || expected.size === 0) return;
    isResting = true;
    setImmediate(() => void flush());
  }

  return {
    expect(source) {
      expected.add(source);
      begin();
    },
  };
}
