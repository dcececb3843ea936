import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import type { RequestHandler } from './http-connection.ts';

type Options = {
  path: string;
  headers: Record<string, string>;
  body: Readable;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
};

/** One request whose body is a stream, such as a recording, on a client of its own. */
export class StreamedRequest implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  #handler: RequestHandler | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  send({ path, headers, body, firstByteTimeoutMs, idleTimeoutMs }: Options, handler: RequestHandler): void {
    this.#handler = handler;
    const limits = { headersTimeout: firstByteTimeoutMs, bodyTimeout: idleTimeoutMs };
    this.#client.dispatch({ path, method: 'POST', headers, body, ...limits }, this);
  }

  abort(error: Error): void {
    this.#aborted = error;
    if (this.#controller) this.#controller.abort(error);
    // Still waiting for its connection.
    else this.onResponseError(undefined, error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(this.#aborted);
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#handler?.onResponseStart(status, headers);
  }

  onResponseData(_controller: unknown, bytes: Buffer): void {
    this.#handler?.onResponseData(bytes);
  }

  onResponseEnd(): void {
    this.#close();
    this.#handler?.onResponseEnd();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#close();
    this.#handler?.onResponseError(error, this.#controller !== undefined);
  }

  #close(): void {
    this.#client.destroy().catch(() => undefined);
  }
}
