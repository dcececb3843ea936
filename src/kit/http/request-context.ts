import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkKey } from './idempotency.ts';
import type { Upload } from './multipart.ts';
import type { Parsed } from './parse-request.ts';
import type { RequestContext } from './route.ts';
import type { Scope } from './scope.ts';

// One shared error: a stack for each disconnected client would cost more than the rest of the signal.
const ENDED = new DOMException('The connection ended.', 'AbortError');

/** Built for every request, so what few handlers need (the abort signal) is created on first use. */
export class HttpRequestContext implements RequestContext {
  readonly scope: Scope;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly #upload: Upload | undefined;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;
  #isAnswered = false;

  constructor(request: FastifyRequest, reply: FastifyReply, scope: Scope, parsed: Parsed) {
    this.scope = scope;
    this.params = parsed.params;
    this.query = parsed.query;
    this.body = parsed.body;
    this.#upload = parsed.upload;
    this.#request = request;
    this.#reply = reply;
  }

  get upload(): Upload {
    if (!this.#upload) throw new Error('This route takes no upload.');
    return this.#upload;
  }

  get origin(): string {
    return `${this.#request.protocol}://${this.#request.host}`;
  }

  get requestId(): string {
    return this.#request.id;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get lastEventId(): string | undefined {
    const header = this.#request.headers['last-event-id'];
    return typeof header === 'string' ? header : undefined;
  }

  get idempotencyKey(): string | undefined {
    const header = this.#request.headers['idempotency-key'];
    return header === undefined ? undefined : checkKey(header);
  }

  get ifMatch(): string | undefined {
    return this.#request.headers['if-match'];
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#watchConnection();
    return this.#signal;
  }

  /** The handler is done and the response complete: a later disconnect aborts nothing. */
  answered(): void {
    this.#isAnswered = true;
  }

  setHeader = (name: string, value: string): void => {
    this.#reply.header(name, value);
  };

  #watchConnection(): AbortSignal {
    const { raw } = this.#reply;
    const controller = new AbortController();
    raw.on('close', () => {
      if (!this.#isAnswered) controller.abort(ENDED);
    });
    if (raw.destroyed) controller.abort(ENDED);
    return controller.signal;
  }
}
