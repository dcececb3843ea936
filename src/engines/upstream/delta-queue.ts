import type { Delta } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { classifyAnswer, classifyBreakOff } from './classify-failure.ts';
import type { BodyReader, Exchange } from './exchange.ts';
import { READ_BYTES_MIN } from './limits.ts';
import { endStream, reduceChunk, type StreamState } from './reduce-chunks.ts';
import { SseParser } from './sse-parser.ts';

/** Bytes that may wait for a slow reader before the server is asked to stop sending. */
const WAITING_BYTES_MAX = 64 * 1024;
/** After its last event a stream should end; it may take this long, or send so much more. */
const ENDING_MS = 1000;
const ENDING_BYTES_MAX = 64 * 1024;

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
  readonly #bytesMax: number;
  /** True once something was passed on: no other server may answer instead. */
  isStarted = false;
  /** True when the connection failed: that is the server's fault, whatever the request was. */
  isBroken = false;
  #bytes = 0;
  #endingBytes = 0;
  /** What the state held when it grew last, and since when nothing was added; 0 while something is. */
  #held = 0;
  #silentSince = 0;
  #ending: NodeJS.Timeout | undefined;
  #waitingBytes = 0;
  #isPaused = false;
  #isOver = false;
  #error: unknown;
  #waiter: Waiter | undefined;

  constructor(exchange: Exchange, state: StreamState, bytesMax: number, signal: AbortSignal) {
    this.#exchange = exchange;
    this.#state = state;
    this.#bytesMax = bytesMax;
    this.#signal = signal;
    exchange.read(this);
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#state.isDone) {
      this.#endingBytes += chunk.length;
      if (this.#endingBytes > ENDING_BYTES_MAX) this.#cutOff();
      return;
    }
    try {
      this.#bytes += chunk.length < READ_BYTES_MIN ? READ_BYTES_MIN : chunk.length;
      if (this.#bytes > this.#bytesMax) throw engineErrors.upstream_answer_too_large();
      this.#parser.push(chunk, this.#onData);
      this.#checkProgress();
    } catch (error) {
      const failure = classifyAnswer(error);
      this.#finish(failure);
      this.#exchange.abort(failure);
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

  /** Comments and empty events keep a connection open, but not for ever. */
  #checkProgress(): void {
    const held = this.#state.characters + this.#state.callCharacters;
    if (held !== this.#held) {
      this.#held = held;
      this.#silentSince = 0;
    } else if (this.#silentSince === 0) this.#silentSince = performance.now();
    else if (performance.now() - this.#silentSince > this.#exchange.patienceMs) throw engineErrors.upstream_timeout();
  }

  /** For a server that has said that its answer is complete and does not end the response. */
  #cutOff = (): void => {
    this.end();
    this.#exchange.abort(new Error('The response did not end.'));
  };

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
    if (this.#isOver) return;
    if (this.#state.isDone) this.end();
    else if (this.#signal.aborted) this.#finish(error);
    else {
      this.isBroken = true;
      this.#finish(this.isStarted ? engineErrors.upstream_interrupted({ cause: error }) : classifyBreakOff(error));
    }
  }

  #finish(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    clearTimeout(this.#ending);
    const waiter = this.#waiter;
    if (!waiter) return;
    this.#waiter = undefined;
    if (this.#deltas.length > 0) this.#hand(waiter);
    else if (error) waiter.reject(error);
    else waiter.resolve({ done: true, value: undefined });
  }

  #hand(waiter: Waiter): void {
    this.#waiter = undefined;
    this.isStarted = true;
    const value = this.#deltas;
    this.#deltas = [];
    waiter.resolve({ done: false, value });
  }

  next(): Promise<IteratorResult<Delta[], undefined>> {
    if (this.#deltas.length > 0) {
      const value = this.#deltas;
      this.#deltas = [];
      this.isStarted = true;
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
    if (this.#state.isDone) this.#ending ??= setTimeout(this.#cutOff, ENDING_MS);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** A reader that stops early ends the request too. */
  return(): Promise<IteratorResult<Delta[], undefined>> {
    this.#isOver = true;
    clearTimeout(this.#ending);
    this.#deltas = [];
    this.#exchange.abort(new Error('The reader stopped.'));
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
