import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from './route.ts';
import type { Scope } from './scope.ts';

/** Built for every request, so what few handlers need (the abort signal) is made when it is asked for. */
export class HttpRequestContext implements RequestContext {
  readonly scope: Scope;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: Scope,
    parsed: { params: unknown; query: unknown; body: unknown },
  ) {
    this.scope = scope;
    this.params = parsed.params;
    this.query = parsed.query;
    this.body = parsed.body;
    this.#request = request;
    this.#reply = reply;
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

  get ifMatch(): string | undefined {
    return this.#request.headers['if-match'];
  }

  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#reply);
    return this.#signal;
  }

  setHeader = (name: string, value: string): void => {
    this.#reply.header(name, value);
  };
}

// Every connection ends; an error with a stack of its own each time would cost more than the rest of the signal.
const ENDED = new DOMException('The connection ended.', 'AbortError');

function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort(ENDED));
  if (reply.raw.destroyed) controller.abort(ENDED);
  return controller.signal;
}
