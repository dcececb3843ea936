import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { UpstreamConnections } from './connections.ts';

/** Failures of requests that were on their way and got no answer: the server may have worked for them. */
const unanswered = new WeakSet<Error>();

export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && unanswered.has(error);
}

/** Takes the bytes of a response as they arrive. */
export type BodyReader = { data(chunk: Buffer): void; end(): void; fail(error: Error): void };

export type ExchangeOptions = {
  connections: UpstreamConnections;
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  signal: AbortSignal;
};

/** Sends one request and resolves with the status of its response. Rejects on any failure before. */
export function exchange(options: ExchangeOptions): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const { connections, origin, path, headers, body, firstByteTimeoutMs, idleTimeoutMs, signal } = options;
    if (signal.aborted) return reject(abortError());
    const client = connections.take(origin);
    const giveBack = (isUsable: boolean) => connections.giveBack(origin, client, isUsable);
    client.dispatch(
      {
        path,
        method: 'POST',
        headers,
        body,
        headersTimeout: firstByteTimeoutMs,
        bodyTimeout: idleTimeoutMs,
      },
      new Exchange({ signal, giveBack, resolve, reject }),
    );
  });
}

type Ports = {
  signal: AbortSignal;
  /** Lets others have the connection. */
  giveBack: (isUsable: boolean) => void;
  resolve: (exchange: Exchange) => void;
  reject: (error: Error) => void;
};

/** One request on the wire. Aborting the signal ends it at once, also while it still waits for a connection. */
export class Exchange implements Dispatcher.DispatchHandler {
  status = 0;
  headers: IncomingHttpHeaders = {};
  readonly #signal: AbortSignal;
  readonly #giveBack: Ports['giveBack'];
  readonly #resolve: Ports['resolve'];
  readonly #reject: Ports['reject'];
  #controller: Dispatcher.DispatchController | undefined;
  #reader: BodyReader | undefined;
  // Headers and the first bytes may arrive in one read, before `read` is called.
  #early: Buffer[] = [];
  #ended = false;
  #error: Error | undefined;

  constructor({ signal, giveBack, resolve, reject }: Ports) {
    this.#signal = signal;
    this.#giveBack = giveBack;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  #onAbort = (): void => {
    const error = abortError();
    if (this.#controller) this.#controller.abort(error);
    else this.onResponseError(undefined, error);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(abortError());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#resolve(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#reader) this.#reader.data(chunk);
    else this.#early.push(chunk);
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#release();
    this.#reader?.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#error || this.#ended) return;
    this.#error = error;
    if (this.#controller && this.status === 0) unanswered.add(error);
    this.#release();
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

  /** The whole body, up to a limit: what is longer is an error and not a memory problem. At once when it is here. */
  text(bytesMax: number): string | Promise<string> {
    const [only] = this.#early;
    // A short response comes in one read, headers and all.
    if (this.#ended && this.#early.length === 1 && only && only.length <= bytesMax) return only.toString('utf8');
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      this.read({
        data: (chunk) => {
          bytes += chunk.length;
          if (bytes <= bytesMax) chunks.push(chunk);
          else this.abort(new Error('The response is longer than its limit.'));
        },
        end: () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString('utf8')),
        fail: reject,
      });
    });
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(reason: Error): void {
    if (!this.#ended && !this.#error) this.#controller?.abort(reason);
  }

  #release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    // A request that was given up before it was sent still waits in its client, perhaps for a server that never answers.
    this.#giveBack(this.#controller !== undefined);
  }
}

function abortError(): Error {
  return new DOMException('The client left.', 'AbortError');
}
