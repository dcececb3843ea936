import type { StoredEvent } from './store.ts';

const NO_EVENTS: readonly StoredEvent[] = [];

/** What a reader needs of its stream. */
export type StreamSource = {
  /** The next page after a number; all of it durable. A page that is not full ends at the head. */
  read(after: number): Promise<readonly StoredEvent[]>;
  pageSize: number;
  leave(reader: Reader): void;
};

/**
 * One tail's place in its stream. Ten thousand of these may be idle at once, so an idle one holds no page, no
 * timer and no closure but the one that resumes it; it is its own abort listener.
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
    // News that comes while the page is read may be missing in it, so the flag goes down before the read.
    this.#hasNews = false;
    try {
      const page = await this.#source.read(this.after);
      if (this.ended) return;
      this.#page = page;
      this.#taken = 0;
      this.after = page.at(-1)?.seq ?? this.after;
      this.caughtUp = page.length < this.#source.pageSize;
    } catch (error) {
      // Who has left is not interested in how the last read ended.
      if (!this.ended) throw error;
    }
  }

  /** The next event of the page. The page is let go with its last event, not kept while the reader waits. */
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
