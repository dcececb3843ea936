import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ownTurn } from '../base/own-turn.ts';
import { isRoundUsed, noteArrival } from '../base/round-budget.ts';
import { isUpgrade, type Sockets } from './accept-sockets.ts';
import { keepBytes } from './body-parsers.ts';
import type { BodyTurns } from './body-turns.ts';
import { credentialsOf } from './credentials.ts';
import { callerOf, inRequest } from './current-request.ts';
import type { Idempotency } from './idempotency.ts';
import { isCrossOrigin } from './is-cross-origin.ts';
import { isMultipart, type Multipart, readMultipart, type UploadRule } from './multipart.ts';
import { parseRequest } from './parse-request.ts';
import { RawReply } from './raw-reply.ts';
import { matchesTag, RenderedReply } from './rendered-reply.ts';
import { HttpRequestContext } from './request-context.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute } from './route.ts';
import type { JsonLimits } from './scan-json.ts';
import type { AccessWatch, Authenticate, Scope } from './scope.ts';
import { SocketReply } from './socket-reply.ts';
import { SseReply } from './sse.ts';
import type { StreamConnection } from './stream-connection.ts';
import { StreamedJson } from './streamed-json.ts';
import type { LargeWriter } from './write-large.ts';

/** Enough for everything but content, files and definitions. */
const SMALL_BODY_BYTES_MAX = 1024 * 1024;
/** Checking and handling a larger body takes a millisecond and more. */
const TURN_BYTES = 64 * 1024;

// Public routes need no key and have no scope.
const ANONYMOUS = { principal: 'anonymous', permissions: new Set() } as unknown as Scope;

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope | null;
    /** Changes of access that its scope includes. */
    accessSeen: number;
    /** The pattern of the route, known once the request has reached it. */
    routePath: string | null;
    bodyBytesMax: number;
    jsonLimits: JsonLimits | null;
    /** The error message the client got, for observers. */
    failure: string | null;
    /** Told when the response is complete or its connection gone. */
    watcher: { closed(): void } | null;
    /** By `performance.now()`. */
    startedAt: number;
  }
  interface FastifyContextConfig {
    /** The route reads its body itself while it arrives. */
    takesUpload?: boolean;
  }
}

export type MountOptions = {
  authenticate: Authenticate;
  access: AccessWatch;
  idempotency: Idempotency;
  /** Tests check each response against its schema; in production the type checker has done that. */
  checkResponses: boolean;
  isHostAllowed: (host: string | undefined) => boolean;
  stream: (reply: FastifyReply, events: SseReply) => StreamConnection;
  large: LargeWriter;
  bodyTurns: BodyTurns;
  sockets: Sockets;
};

export function mountRoute(app: FastifyInstance, route: AnyRoute, options: MountOptions): void {
  if (!route.rawBody) addRoute(app, route, options);
  // Fastify registers parsers per context, so a route with its own parser needs its own context.
  else
    app.register((own, _options, done) => {
      keepBytes(own, options.bodyTurns, route);
      addRoute(own, route, options);
      done();
    });
}

function addRoute(app: FastifyInstance, route: AnyRoute, options: MountOptions): void {
  const ports = { route, authenticate: options.authenticate, access: options.access };
  const { large } = options;
  const status = route.status ?? 200;
  app.route({
    method: route.method,
    url: route.path,
    config: {
      takesUpload: route.upload !== undefined,
      ...(route.upload?.isOptional && { formLists: route.upload.repeats ?? [] }),
    },
    // Before the body is read: an unauthenticated body is not parsed.
    onRequest: route.upload && !route.upload.isOptional ? [enter, requireMultipart] : enter,
    handler: (request, reply) =>
      route.upload && (!route.upload.isOptional || isMultipart(request.headers['content-type']))
        ? receive(route.upload, request, reply)
        : answerInTurn(request, reply),
  });

  function enter(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    request.routePath = route.path;
    if (route.bodyBytesMax !== undefined) request.bodyBytesMax = route.bodyBytesMax;
    else if (!route.largeBody && request.bodyBytesMax > SMALL_BODY_BYTES_MAX)
      request.bodyBytesMax = SMALL_BODY_BYTES_MAX;
    if (route.jsonLimits) request.jsonLimits = route.jsonLimits;
    const { origin } = request.headers;
    if (route.checksOrigin && origin !== undefined && !options.isHostAllowed(hostOf(origin)))
      done(requestErrors.origin_not_allowed(ORIGIN_NOT_ALLOWED));
    else if (route.sameOrigin && isCrossOrigin(request)) done(requestErrors.origin_not_allowed(SAME_ORIGIN_ONLY));
    else if (route.permission === 'public') done();
    else {
      request.accessSeen = options.access.changes();
      const found = options.authenticate(credentialsOf(request), route.surface ?? 'standard');
      if (found instanceof Promise) found.then((scope) => admit(route, scope, request, done), done);
      else admit(route, found, request, done);
    }
  }

  /** Access changed while the body arrived: the request is admitted again. */
  async function answerAgain(request: FastifyRequest, reply: FastifyReply, multipart?: Multipart): Promise<unknown> {
    await new Promise<void>((resolve, reject) => enter(request, reply, (error) => (error ? reject(error) : resolve())));
    return answer(request, reply, multipart);
  }

  async function receive(rule: UploadRule, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const multipart = await readMultipart(request.raw, rule);
    try {
      return await answer(request, reply, multipart);
    } finally {
      // Deletes what the handler did not publish.
      await multipart.upload?.content.discard();
    }
  }

  /** At once, unless the body is large or this round of the event loop has been used: then by turns. */
  function answerInTurn(request: FastifyRequest, reply: FastifyReply): unknown {
    const isLarge = Number(request.headers['content-length']) > TURN_BYTES;
    if (!isLarge && !isRoundUsed()) return answer(request, reply);
    return ownTurn(callerOf(request)).then(() => answer(request, reply));
  }

  function answer(request: FastifyRequest, reply: FastifyReply, multipart?: Multipart): unknown {
    if (request.scope && request.accessSeen !== options.access.changes()) return answerAgain(request, reply, multipart);
    const parsed = parseRequest(route, request, multipart);
    const context = new HttpRequestContext(request, reply, request.scope ?? ANONYMOUS, parsed, ports);
    const key = request.headers['idempotency-key'];
    if (route.creates === true && key !== undefined)
      return options.idempotency.run({ key, route, context, reply }, async () =>
        checked(await inRequest(request, () => route.handler(context))),
      );
    if (route.socket) return connect(request, reply, context);
    if (route.large)
      return large.inTurn(reply, async () =>
        finish(context, reply, await inRequest(request, () => route.handler(context))),
      );
    const result = inRequest(request, () => route.handler(context));
    return result instanceof Promise
      ? result.then(
          (value) => finish(context, reply, value),
          (error) => fail(context, reply, error),
        )
      : finish(context, reply, result);
  }

  /** A refusal of the handler is the first and last message: clients of WebSockets hardly show an HTTP status. */
  async function connect(request: FastifyRequest, reply: FastifyReply, context: HttpRequestContext): Promise<unknown> {
    if (!isUpgrade(request.headers)) throw requestErrors.upgrade_required();
    const watch = context.watch();
    const refused = (error: unknown) => new SocketReply(() => Promise.reject(error));
    const answer = await inRequest(request, async () => route.handler(context)).catch(refused);
    if (!(answer instanceof SocketReply)) throw new Error(`${route.path} must answer with a socket`);
    options.sockets.accept(request, reply, { answer, watch });
    return reply;
  }

  function checked(value: unknown): unknown {
    return options.checkResponses && route.response ? route.response.parse(value) : value;
  }

  function checkedText(text: string): string {
    if (options.checkResponses) checked(JSON.parse(text));
    return text;
  }

  /** A request that lost its access has its response already. */
  function fail(context: HttpRequestContext, reply: FastifyReply, error: unknown): unknown {
    if (context.isLost) return reply;
    throw error;
  }

  function finish(context: HttpRequestContext, reply: FastifyReply, result: unknown): unknown {
    if (context.isLost) {
      if (result instanceof SseReply) void abandon(result).catch(() => undefined);
      return reply;
    }
    if (result instanceof SseReply) {
      context.streams(result, options.stream(reply, result));
      return reply;
    }
    context.answered();
    return result instanceof RawReply ? sendFile(context, reply, result) : sendJson(context, reply, result);
  }

  function sendFile(context: HttpRequestContext, reply: FastifyReply, file: RawReply): FastifyReply {
    if (isStreamed(file)) context.watch();
    return reply.code(file.status).headers(file.headers).send(bodyOf(reply, file));
  }

  function sendJson(context: HttpRequestContext, reply: FastifyReply, result: unknown): unknown {
    reply.code(context.status ?? status);
    if (result === undefined) return reply.send();
    if (result instanceof RenderedReply) return sendRendered(context, reply, result);
    if (result instanceof StreamedJson) return sendStreamed(context, reply, result);
    return large.sendText(reply, JSON.stringify(checked(result)));
  }

  function sendRendered(context: HttpRequestContext, reply: FastifyReply, { text, etag }: RenderedReply): unknown {
    const known = reply.request.headers['if-none-match'];
    if (etag !== undefined) reply.header('etag', etag);
    if (route.method === 'GET' && known !== undefined && etag !== undefined && matchesTag(known, etag))
      return reply.code(304).send();
    if (typeof text === 'string') return large.sendText(reply, checkedText(text));
    if (text instanceof StreamedJson) return sendStreamed(context, reply, text);
    return large.inTurn(reply, async () => large.sendText(reply, checkedText(await text())));
  }

  function sendStreamed(context: HttpRequestContext, reply: FastifyReply, list: StreamedJson<unknown>): unknown {
    context.watch();
    return large.sendStreamed(reply, list, checked);
  }
}

/** A generator that was never read would not clean up. */
async function abandon({ events }: SseReply): Promise<void> {
  for await (const _ of events) return;
}

const isStreamed = ({ body }: RawReply) => typeof body !== 'string' && !(body instanceof Uint8Array);

function bodyOf({ request }: FastifyReply, { body }: RawReply): string | Uint8Array | Readable {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  // Fastify reads a stream to its end even for HEAD, which shows only the headers.
  return Readable.from(request.method === 'HEAD' ? [] : body, { objectMode: false });
}

function requireMultipart({ headers }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  done(
    isMultipart(headers['content-type'])
      ? undefined
      : requestErrors.unsupported_media_type('Send the body as multipart/form-data.'),
  );
}

function admit(
  route: AnyRoute,
  scope: Scope | undefined,
  request: FastifyRequest,
  done: (error?: Error) => void,
): void {
  // Set for refused requests too, for observers.
  request.scope = scope ?? null;
  if (scope) noteArrival(scope.key_id);
  if (!scope) done(requestErrors.unauthorized());
  else if (scope.refusal !== undefined) done(requestErrors.session_refused(scope.refusal));
  else if (!scope.permissions.has(route.permission)) done(requestErrors.permission_denied(route.permission));
  else done();
}

// A sandboxed page sends "null", which is not a host.
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}

const ORIGIN_NOT_ALLOWED = 'Pages of this origin may not call this address. Ask the operator to allow its host.';
const SAME_ORIGIN_ONLY = 'Only a page of this server may ask for this. Open it at the address of the server itself.';
