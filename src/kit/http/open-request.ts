import type { FastifyReply, FastifyRequest } from 'fastify';
import { credentialsOf } from './credentials.ts';
import type { ApiError } from './errors.ts';
import type { AnyRoute } from './route.ts';
import type { Authenticate, OpenWork, Scope } from './scope.ts';
import { encodeSse, type SseReply } from './sse.ts';
import type { StreamConnection } from './stream-connection.ts';

// One shared error: a stack for each disconnected client would cost more than the rest of the signal.
const ENDED = new DOMException('The connection ended.', 'AbortError');

/** A running request: it ends when its client disconnects, and when its caller may no longer make it. */
export class OpenRequest implements OpenWork {
  readonly permission: string;
  scope: Scope | undefined;
  previous: OpenWork | undefined;
  next: OpenWork | undefined;
  /** Why the request was ended from outside. */
  lost: ApiError | undefined;
  /** Set once the response is a WebSocket: how it ends. */
  onLost: ((reason: ApiError) => void) | undefined;
  /** Set once the response is a stream. */
  #stream: StreamConnection | undefined;
  #toErrorEvent: SseReply['toErrorEvent'] | undefined;
  readonly #reply: FastifyReply;
  readonly #route: AnyRoute;
  readonly #authenticate: Authenticate;
  readonly #controller = new AbortController();

  constructor(request: FastifyRequest, reply: FastifyReply, route: AnyRoute, authenticate: Authenticate) {
    this.permission = route.permission;
    this.scope = request.scope ?? undefined;
    this.#reply = reply;
    this.#route = route;
    this.#authenticate = authenticate;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  disconnect(): void {
    this.#controller.abort(ENDED);
  }

  streams({ toErrorEvent }: SseReply, connection: StreamConnection): void {
    this.#toErrorEvent = toErrorEvent;
    this.#stream = connection;
  }

  again(): ReturnType<Authenticate> {
    const credentials = credentialsOf(this.#reply.request);
    if (credentials.browser) credentials.browser.isFollowed = true;
    return this.#authenticate(credentials, this.#route.surface ?? 'standard');
  }

  /** An error event and the end of a stream, the error itself before a response, else the end of the connection. */
  end(reason: ApiError): void {
    this.lost = reason;
    this.#controller.abort(reason);
    if (this.onLost) return void this.onLost(reason);
    if (this.#stream && this.#toErrorEvent) return void this.#stream.end(encodeSse(this.#toErrorEvent(reason)));
    const reply = this.#reply;
    if (reply.raw.destroyed || reply.raw.writableEnded) return;
    if (reply.raw.headersSent) reply.raw.destroy();
    else reply.send(reason);
  }
}
