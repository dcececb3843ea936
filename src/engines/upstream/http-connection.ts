import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { type ResponseHandler, ResponseParser } from './response-parser.ts';

/** Opens a socket whose bytes go to `onBytes`; the buffer is overwritten by the next read. */
type OpenSocket = (
  onBytes: (bytes: Buffer, length: number) => void,
  onConnect: (error: Error | null) => void,
) => Socket;

type HttpRequest = {
  /** The request line and all headers but the length, with their line ends. */
  head: string;
  /** A large one in pieces that are encoded already. */
  body: string | readonly Buffer[];
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
};

/** Takes what one request leads to. Nothing follows `onResponseEnd` or `onResponseError`. */
export type RequestHandler = {
  onResponseStart(status: number, headers: IncomingHttpHeaders): void;
  /** The bytes are overwritten after the call. */
  onResponseData(data: Buffer): void;
  onResponseEnd(): void;
  /** `isSent`: the server may have worked for the request. */
  onResponseError(error: Error, isSent: boolean): void;
};

/** A connection outlives the request that opened it, whose context its socket and timers would keep in memory. */
const outside = AsyncLocalStorage.snapshot();

/** At most; a server may say that it keeps connections for less. */
const KEEP_ALIVE_MS = 30_000;

class ConnectionFailed extends Error {
  readonly code: string;

  constructor(code: 'ECONNRESET' | 'RESPONSE_TIMEOUT', message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * One keep-alive connection for one request at a time: it writes a request with one call and reads responses in place. A general
 * client spends as long on a short chat as all of our own code (docs/decisions/0138).
 */
export class HttpConnection implements ResponseHandler {
  readonly #socket: Socket;
  #isConnected = false;
  #isClosed = false;
  #request: HttpRequest | undefined;
  #handler: RequestHandler | undefined;
  #parser: ResponseParser | undefined;
  #isSent = false;
  #hasBegun = false;
  /** Since when nothing of the body has arrived, or the request waits for the head. */
  #quietSince = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires; it is not running beyond that. */
  #timerAt = Number.POSITIVE_INFINITY;
  #isPaused = false;
  /** An idle connection is not used after this. */
  #usableUntil = Number.POSITIVE_INFINITY;

  constructor(openSocket: OpenSocket) {
    this.#socket = outside(
      openSocket,
      (bytes: Buffer, length: number) => this.#read(bytes, length),
      (error: Error | null) => this.#onConnect(error),
    );
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('end', () => this.#onEnd());
    this.#socket.on('close', () => this.#onClose());
  }

  isUsable(nowMs = performance.now()): boolean {
    return !this.#isClosed && nowMs < this.#usableUntil;
  }

  send(request: HttpRequest, handler: RequestHandler): void {
    this.#request = request;
    this.#handler = handler;
    this.#parser = new ResponseParser(this);
    this.#hasBegun = false;
    this.#isSent = false;
    if (!this.#isConnected) return;
    this.#socket.ref();
    this.#write(request);
  }

  /** Ends the request and the connection with it. */
  abort(error: Error): void {
    this.#fail(error);
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // What arrives now was not late: the reader was.
    this.#quietSince = performance.now();
    this.#socket.resume();
  }

  /** Of an idle connection. */
  close(): void {
    this.#destroy();
  }

  onResponseStart(status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) {
      this.#hasBegun = true;
      this.#quietSince = performance.now();
    }
    this.#handler?.onResponseStart(status, headers);
  }

  onResponseData(data: Buffer): void {
    this.#handler?.onResponseData(data);
  }

  onResponseEnd(isReusable: boolean, keepAliveMs = KEEP_ALIVE_MS): void {
    const handler = this.#handler;
    // Whoever ended the request in the middle of its last bytes has been told.
    if (!handler) return;
    this.#forget();
    this.#usableUntil = this.#quietSince + Math.min(keepAliveMs, KEEP_ALIVE_MS);
    if (isReusable) {
      this.resume();
      // An idle connection keeps no program from ending.
      this.#socket.unref();
    } else this.#destroy();
    handler.onResponseEnd();
  }

  #onConnect(error: Error | null): void {
    this.#isConnected = error === null;
    if (error) this.#fail(error);
    else if (this.#request && !this.#isClosed) this.#write(this.#request);
  }

  #write({ head, body, firstByteTimeoutMs }: HttpRequest): void {
    this.#isSent = true;
    this.#quietSince = performance.now();
    // The timer of an earlier request fires too early and is set again: that is rare, and each move of a timer has its price.
    if (this.#timerAt > this.#quietSince + firstByteTimeoutMs) this.#arm(firstByteTimeoutMs);
    if (typeof body === 'string')
      this.#socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    else this.#writePieces(head, body);
  }

  #writePieces(head: string, pieces: readonly Buffer[]): void {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.#socket.cork();
    this.#socket.write(`${head}content-length: ${length}\r\n\r\n`);
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }

  #read(bytes: Buffer, length: number): void {
    const parser = this.#parser;
    // Bytes that nobody asked for: whatever comes next cannot be trusted.
    if (!parser) {
      this.#destroy();
      return;
    }
    // Until then the limit is for all of the head: one that comes byte by byte gets no more time.
    if (this.#hasBegun) this.#quietSince = performance.now();
    try {
      parser.push(bytes, length);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #onEnd(): void {
    const parser = this.#parser;
    if (parser && !parser.end()) this.#fail(closed());
    else this.#destroy();
  }

  #onClose(): void {
    if (this.#handler) this.#fail(closed());
    else this.#destroy();
  }

  #fail(error: Error): void {
    const handler = this.#handler;
    const isSent = this.#isSent;
    this.#forget();
    this.#destroy();
    handler?.onResponseError(error, isSent);
  }

  #forget(): void {
    this.#handler = undefined;
    this.#request = undefined;
    this.#parser = undefined;
  }

  #destroy(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const leftMs = this.#leftMs();
    if (leftMs > 0) this.#arm(leftMs);
    // After a stall of our own, timers come before what has arrived meanwhile.
    else setImmediate(() => this.#onSilence());
  }

  #onSilence(): void {
    const leftMs = this.#leftMs();
    if (leftMs > 0) this.#arm(leftMs);
    else if (this.#request) this.#fail(new ConnectionFailed('RESPONSE_TIMEOUT', 'The server was silent for too long.'));
  }

  /** How long the server may still be silent; 0 also where nobody waits for it. */
  #leftMs(): number {
    const request = this.#request;
    if (!request) return 0;
    const limitMs = this.#hasBegun ? request.idleTimeoutMs : request.firstByteTimeoutMs;
    // A reader that paused is the one who is late.
    return this.#isPaused ? limitMs : limitMs - (performance.now() - this.#quietSince);
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = performance.now() + ms;
    this.#timer = outside(() => setTimeout(() => this.#onTimer(), Math.max(1, Math.ceil(ms))).unref());
  }
}

function closed(): Error {
  return new ConnectionFailed('ECONNRESET', 'The server closed the connection.');
}
