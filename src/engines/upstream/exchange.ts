import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { engineErrors } from '../errors.ts';
import type { UpstreamConnections } from './connections.ts';
import type { RequestHandler } from './http-connection.ts';
import { READ_BYTES_MIN, SILENT_PAUSES_MAX } from './limits.ts';
import { headOf } from './request-head.ts';
import { StreamedRequest } from './streamed-request.ts';

/** Reads that may be as short as they like. */
const READS_FREE = 64;
/** Responses before the response, such as 103; a server could send nothing else. */
const INTERIM_MAX = 16;

/** Failures of requests that were on their way and got no answer: the server may have worked for them. */
const unanswered = new WeakSet<Error>();

export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && unanswered.has(error);
}

/** Takes the bytes of a response as they arrive. They are overwritten after the call. */
export type BodyReader = { data(chunk: Buffer): void; end(): void; fail(error: Error): void };

export type ExchangeOptions = {
  connections: UpstreamConnections;
  origin: string;
  basePath: string;
  path: string;
  headers: Record<string, string>;
  body: string | readonly Buffer[] | Readable;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  signal: AbortSignal;
};

/** Sends one request and resolves with the status of its response. Rejects on any failure before. */
export function exchange(options: ExchangeOptions): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const { connections, origin, basePath, path, headers, body, firstByteTimeoutMs, idleTimeoutMs, signal } = options;
    if (signal.aborted) return reject(abortError());
    const ports = { signal, patienceMs: idleTimeoutMs * SILENT_PAUSES_MAX, resolve, reject };
    if (body instanceof Readable) {
      const link = new StreamedRequest(connections.takeForStream(origin));
      link.send({ path: basePath + path, headers, body, firstByteTimeoutMs, idleTimeoutMs }, new Exchange(link, ports));
      return;
    }
    const connection = connections.take(origin);
    const giveBack = () => connections.giveBack(origin, connection);
    const request = { head: headOf(origin, basePath, path, headers), body, firstByteTimeoutMs, idleTimeoutMs };
    connection.send(request, new Exchange(connection, ports, giveBack));
  });
}

/** What a request is sent on. */
type Link = { abort(error: Error): void; pause(): void; resume(): void };

type Ports = {
  signal: AbortSignal;
  patienceMs: number;
  resolve: (exchange: Exchange) => void;
  reject: (error: Error) => void;
};

/** One request on the wire. Aborting the signal ends it at once, also while it still waits for a connection. */
export class Exchange implements RequestHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  /** How long bytes may drip in that bring nothing. */
  readonly patienceMs: number;
  readonly #link: Link;
  readonly #signal: AbortSignal;
  readonly #giveBack: (() => void) | undefined;
  readonly #resolve: Ports['resolve'];
  readonly #reject: Ports['reject'];
  #reader: BodyReader | undefined;
  // Headers and the first bytes may arrive in one read, before `read` is called.
  #early: Buffer[] = [];
  #interim = 0;
  #ended = false;
  #error: Error | undefined;

  /** `giveBack` lets others have the connection. */
  constructor(link: Link, { signal, patienceMs, resolve, reject }: Ports, giveBack?: () => void) {
    this.#link = link;
    this.#signal = signal;
    this.patienceMs = patienceMs;
    this.#giveBack = giveBack;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #onAbort = (): void => this.#link.abort(abortError());

  onResponseStart(status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > INTERIM_MAX) this.#link.abort(engineErrors.upstream_invalid_response());
      return;
    }
    this.status = status;
    this.headers = headers;
    this.#resolve(this);
  }

  onResponseData(bytes: Buffer): void {
    if (this.#reader) this.#reader.data(bytes);
    else this.#early.push(Buffer.from(bytes));
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#giveBack?.();
    this.#reader?.end();
  }

  onResponseError(error: Error, isSent: boolean): void {
    if (this.#error || this.#ended) return;
    this.#error = error;
    if (isSent && this.status === 0) unanswered.add(error);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#reject(error);
    this.#reader?.fail(error);
  }

  read(reader: BodyReader): void {
    const early = this.#early;
    this.#early = [];
    for (const chunk of early) reader.data(chunk);
    this.#reader = reader;
    if (this.#error) reader.fail(this.#error);
    else if (this.#ended) reader.end();
  }

  /** The whole body, up to a limit: what is longer, or drips in for ever, is an error. At once when it is here. */
  text(bytesMax: number): string | Promise<string> {
    const [only] = this.#early;
    // A short response comes in one read, headers and all.
    if (this.#ended && this.#early.length === 1 && only && only.length <= bytesMax) return only.toString('utf8');
    return new Promise((resolve, reject) => this.#collect(bytesMax, resolve, (_text, error) => reject(error)));
  }

  /** As much of the body as there is, up to a limit. */
  beginning(bytesMax: number): Promise<string> {
    return new Promise((resolve) => this.#collect(bytesMax, resolve, resolve));
  }

  #collect(bytesMax: number, whole: (text: string) => void, part: (text: string, error: Error) => void): void {
    let chunks: Buffer[] = [];
    let bytes = 0;
    let reads = 0;
    const startedAt = performance.now();
    const take = (): string => {
      const taken = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      chunks = [];
      return taken.toString('utf8');
    };
    const giveUp = (error: Error): void => {
      part(take(), error);
      this.abort(error);
    };
    if (Number(this.headers['content-length'] ?? 0) > bytesMax) {
      giveUp(engineErrors.upstream_answer_too_large());
      return;
    }
    this.read({
      data: (chunk) => {
        bytes += chunk.length;
        reads += 1;
        if (bytes > bytesMax || (reads - READS_FREE) * READ_BYTES_MIN > bytesMax)
          giveUp(engineErrors.upstream_answer_too_large());
        else if (performance.now() - startedAt > this.patienceMs) giveUp(engineErrors.upstream_timeout());
        else chunks.push(Buffer.from(chunk));
      },
      end: () => whole(take()),
      fail: (error) => part(take(), error),
    });
  }

  pause(): void {
    if (!this.#isOver) this.#link.pause();
  }

  resume(): void {
    if (!this.#isOver) this.#link.resume();
  }

  abort(reason: Error): void {
    if (!this.#isOver) this.#link.abort(reason);
  }

  /** Somebody else may have the connection. */
  get #isOver(): boolean {
    return this.#ended || this.#error !== undefined;
  }
}

function abortError(): Error {
  return new DOMException('The client left.', 'AbortError');
}
