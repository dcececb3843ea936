import type { StoredEvent } from './store/streams.ts';

const NO_EVENTS: readonly StoredEvent[] = [];

/** What a reader needs from its stream. */
export type StreamSource = {
  /** The next page after a number; all of it durable. A page that is not full ends at the head. */
  read(after: number): Promise<readonly StoredEvent[]>;
  pageSize: number;
  leave(reader: Reader): void;
};

/**
 * One tail's position in its stream. Ten thousand may be idle at once, so an idle one holds no page, no timer and one
 * closure; it is its own abort listener.
 */
export class Reader {
  /** The last number that was read, which may be ahead of the last one handed out. */
  after: number;
  ended = false;
  /** The last page reached the head of the stream. */
  caughtUp = false;
  readonly #source: StreamSource;
  readonly #signal: AbortSignal;
  #page = NO_EVENTS;
  #taken = 0;
  #hasNews = false;
  #resume: (() => void) | undefined;

  constructor(source: StreamSource, after: number, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    this.after = after;
    signal.addEventListener('abort', this);
  }

  async readPage(): Promise<void> {
    // An event committed during the read may be missing in the page, so the flag is reset before the read.
    this.#hasNews = false;
    try {
      const page = await this.#source.read(this.after);
      if (this.ended) return;
      this.#page = page;
      this.#taken = 0;
      this.after = page.at(-1)?.seq ?? this.after;
      this.caughtUp = page.length < this.#source.pageSize;
    } catch (error) {
      // The reader has left: the outcome of its last read is ignored.
      if (!this.ended) throw error;
    }
  }

  /** The next event of the page. The page is released with its last event, not kept while the reader waits. */
  take(): StoredEvent | undefined {
    const event = this.#page[this.#taken++];
    if (this.#taken >= this.#page.length) this.#page = NO_EVENTS;
    return event;
  }

  news(): Promise<void> {
    if (this.#hasNews || this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  wake(): void {
    this.#hasNews = true;
    this.#resume?.();
    this.#resume = undefined;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.#page = NO_EVENTS;
    this.#signal.removeEventListener('abort', this);
    this.#source.leave(this);
    this.wake();
  }

  /** The abort listener. */
  handleEvent(): void {
    this.end();
  }
}
