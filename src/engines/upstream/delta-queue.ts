import type { Delta } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import type { BodyReader, Exchange } from './exchange.ts';
import { endStream, reduceChunk, type StreamState } from './reduce-chunks.ts';
import { SseParser } from './sse-parser.ts';

/** Bytes that may wait for a slow reader before the server is asked to stop sending. */
const WAITING_BYTES_MAX = 64 * 1024;

type Waiter = { resolve: (result: IteratorResult<Delta[], undefined>) => void; reject: (error: unknown) => void };

/**
 * Between the socket, which pushes, and the reader, which pulls. All that one read of the socket brought is one
 * item. While the reader is busy, only a little is kept and the socket is paused.
 */
export class DeltaQueue implements AsyncIterableIterator<Delta[], undefined>, BodyReader {
  readonly #exchange: Exchange;
  readonly #state: StreamState;
  readonly #parser = new SseParser();
  readonly #signal: AbortSignal;
  #deltas: Delta[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #isOver = false;
  #error: unknown;
  #waiter: Waiter | undefined;

  constructor(exchange: Exchange, state: StreamState, signal: AbortSignal) {
    this.#exchange = exchange;
    this.#state = state;
    this.#signal = signal;
    exchange.read(this);
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#parser.push(chunk, this.#onData);
    } catch (error) {
      this.#finish(error);
      this.#exchange.abort(error as Error);
      return;
    }
    if (this.#waiter) {
      if (this.#deltas.length > 0) this.#hand(this.#waiter);
      return;
    }
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > WAITING_BYTES_MAX && !this.#isPaused) {
      this.#isPaused = true;
      this.#exchange.pause();
    }
  }

  #onData = (data: string): void => reduceChunk(this.#state, data, this.#deltas);

  end(): void {
    if (this.#isOver) return;
    try {
      endStream(this.#state);
      this.#finish(undefined);
    } catch (error) {
      this.#finish(error);
    }
  }

  fail(error: Error): void {
    this.#finish(this.#signal.aborted ? error : engineErrors.upstream_interrupted({ cause: error }));
  }

  #finish(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    const waiter = this.#waiter;
    if (!waiter) return;
    this.#waiter = undefined;
    if (this.#deltas.length > 0) this.#hand(waiter);
    else if (error) waiter.reject(error);
    else waiter.resolve({ done: true, value: undefined });
  }

  #hand(waiter: Waiter): void {
    this.#waiter = undefined;
    const value = this.#deltas;
    this.#deltas = [];
    waiter.resolve({ done: false, value });
  }

  next(): Promise<IteratorResult<Delta[], undefined>> {
    if (this.#deltas.length > 0) {
      const value = this.#deltas;
      this.#deltas = [];
      this.#waitingBytes = 0;
      if (this.#isPaused) {
        this.#isPaused = false;
        this.#exchange.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#error) return Promise.reject(this.#error);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#exchange.resume();
    }
    this.#waitingBytes = 0;
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** A reader that stops early ends the request too. */
  return(): Promise<IteratorResult<Delta[], undefined>> {
    this.#isOver = true;
    this.#deltas = [];
    this.#exchange.abort(new Error('The reader stopped.'));
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
