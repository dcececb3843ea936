import type { LivePart } from '../transcribe/transcription-engine.ts';

/** Between what pushes parts of a live session and its reader, which pulls them. */
export class PartQueue implements AsyncIterableIterator<LivePart[], undefined> {
  readonly #waiting: LivePart[][] = [];
  readonly #onTaken: () => void;
  #outcome: { error: unknown } | 'open' | 'ended' = 'open';
  #wake: (() => void) | undefined;

  /** `onTaken` is called after each pull, `onLeft` when the reader stops early. */
  constructor(onTaken: () => void, onLeft: () => void) {
    this.#onTaken = onTaken;
    this.#onLeft = onLeft;
  }

  readonly #onLeft: () => void;

  get length(): number {
    return this.#waiting.length;
  }

  get isOver(): boolean {
    return this.#outcome !== 'open';
  }

  /** Throws what the session failed with. */
  check(): void {
    if (typeof this.#outcome === 'object') throw this.#outcome.error;
  }

  push(parts: LivePart[]): void {
    if (parts.length === 0 || this.isOver) return;
    this.#waiting.push(parts);
    this.#wake?.();
  }

  end(): void {
    if (!this.isOver) this.#outcome = 'ended';
    this.#wake?.();
  }

  fail(error: unknown): void {
    if (!this.isOver) this.#outcome = { error };
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<LivePart[], undefined>> {
    for (;;) {
      const value = this.#waiting.shift();
      if (value) {
        this.#onTaken();
        return { done: false, value };
      }
      this.check();
      if (this.isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<LivePart[], undefined>> {
    this.end();
    this.#onLeft();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
