import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkKey } from './idempotency.ts';
import type { Upload } from './multipart.ts';
import { OpenRequest } from './open-request.ts';
import type { Parsed } from './parse-request.ts';
import type { AnyRoute, RequestContext } from './route.ts';
import type { AccessWatch, Authenticate, Scope } from './scope.ts';
import type { SseReply } from './sse.ts';
import type { StreamConnection } from './stream-connection.ts';

type Ports = { route: AnyRoute; authenticate: Authenticate; access: AccessWatch };

/** Built for every request, so what few handlers need (the abort signal) is created on first use. */
export class HttpRequestContext implements RequestContext {
  readonly scope: Scope;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly #upload: Upload | undefined;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #ports: Ports;
  #open: OpenRequest | undefined;
  #isAnswered = false;
  /** Undefined: the route's own. */
  status: number | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, scope: Scope, parsed: Parsed, ports: Ports) {
    this.scope = scope;
    this.params = parsed.params;
    this.query = parsed.query;
    this.body = parsed.body;
    this.#upload = parsed.upload;
    this.#request = request;
    this.#reply = reply;
    this.#ports = ports;
  }

  get upload(): Upload {
    if (!this.#upload) throw new Error('This route takes no upload.');
    return this.#upload;
  }

  get uploaded(): Upload | undefined {
    return this.#upload;
  }

  get origin(): string {
    return `${this.#request.protocol}://${this.#request.host}`;
  }

  get url(): string {
    return this.#request.url;
  }

  get requestId(): string {
    return this.#request.id;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get trace(): { traceparent: string } | undefined {
    const { traceparent } = this.#request.headers;
    return typeof traceparent === 'string' ? { traceparent } : undefined;
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
    return this.watch().signal;
  }

  /** The caller lost its access, and the response says so. */
  get isLost(): boolean {
    return this.#open?.lost !== undefined;
  }

  /** The response is a stream, which ends when the caller loses its access. */
  streams(reply: SseReply, connection: StreamConnection): void {
    this.watch().streams(reply, connection);
  }

  /** The handler is done and the response complete: a later disconnect aborts nothing. */
  answered(): void {
    this.#isAnswered = true;
  }

  /** The response is complete, or its connection gone. */
  closed(): void {
    if (!this.#open) return;
    this.#ports.access.close(this.#open);
    if (!this.#isAnswered) this.#open.disconnect();
  }

  /** Bound, and so made for the few handlers that set one. */
  get setHeader(): (name: string, value: string) => void {
    return (name, value) => void this.#reply.header(name, value);
  }

  setStatus(status: number): void {
    this.status = status;
  }

  /** From here on the request ends when its client disconnects or its caller loses its access. */
  watch(): OpenRequest {
    if (this.#open) return this.#open;
    const { route, authenticate, access } = this.#ports;
    const open = new OpenRequest(this.#request, this.#reply, route, authenticate);
    this.#open = open;
    this.#request.watcher = this;
    if (this.#reply.raw.destroyed) open.disconnect();
    else if (open.scope) access.open(open, this.#request.accessSeen);
    return open;
  }
}
