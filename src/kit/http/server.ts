import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from '../base/log.ts';
import { nameCallers } from '../base/own-turn.ts';
import { acceptSockets, createUpgradeCheck } from './accept-sockets.ts';
import { createErrorAnswers } from './answer-errors.ts';
import { parseJsonBodies, refusedEncoding } from './body-parsers.ts';
import { type BodyTimeouts, endBodyTimeout, startBodyTimeout } from './body-timeouts.ts';
import { createBodyTurns } from './body-turns.ts';
import { currentCaller } from './current-request.ts';
import type { ErrorStyles } from './error-bodies.ts';
import type { ApiError } from './errors.ts';
import { parseForms } from './form-fields.ts';
import { createHostCheck, findMalformed } from './host-check.ts';
import { setIdHeaders } from './id-headers.ts';
import type { Idempotency } from './idempotency.ts';
import { type Door, type Listening, listen } from './listen.ts';
import { mountRoute } from './mount-route.ts';
import { describeNotFound, shadowedMethods } from './not-found.ts';
import { createOpenStreams } from './open-streams.ts';
import { createReadingTurns } from './reading-turns.ts';
import { requestErrors } from './request-errors.ts';
import { requestIdOf } from './request-id.ts';
import type { AnyRoute } from './route.ts';
import { createRunningRequests } from './running-requests.ts';
import type { AccessWatch, Authenticate } from './scope.ts';
import { answerClientError } from './translate-error.ts';
import { createLargeWriter } from './write-large.ts';

const BODY_BYTES_MAX = 10 * 1024 * 1024;
const PARAM_CHARACTERS_MAX = 8192;
const HEADERS_TIMEOUT_MS = 20_000;
/** How often Node checks for late connections, and so how late a timeout may fire. */
const LATE_CHECK_MS = 2000;
const BODY_TIMEOUTS: BodyTimeouts = { wholeMs: 120_000, idleMs: 30_000 };
/** Node has one limit for all requests, so this is for the largest; body-timeouts.ts limits the others. */
const REQUEST_TIMEOUT_MS = 60 * 60 * 1000;
const KEEP_ALIVE_MS = 72_000;
const RETIRE_LOOK_MS = 50;
const NO_WATCH: AccessWatch = { changes: () => 0, open: () => undefined, close: () => undefined };
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

export type HttpObserver = {
  /** Called when the headers of a request have arrived. */
  onRequest?(request: FastifyRequest): void;
  /** Called once per complete response; `routePath` is the pattern, so its values are few. */
  onResponse(request: FastifyRequest, reply: { statusCode: number }, routePath: string, elapsedMs: number): void;
};

export type HttpServerOptions = {
  routes: AnyRoute[];
  authenticate: Authenticate;
  /** Left out, a request that has begun is not looked at again. */
  access?: AccessWatch;
  log: Logger;
  idempotency: Idempotency;
  errorStyles?: ErrorStyles;
  observers?: HttpObserver[];
  host?: string;
  allowedHosts?: string[];
  trustedProxies?: string[];
  bodyBytesMax?: number;
  heartbeatMs?: number;
  headersTimeoutMs?: number;
  bodyTimeouts?: BodyTimeouts;
  checkResponses?: boolean;
};

export type HttpServer = {
  app: FastifyInstance;
  /** Resolves with its address. A door is closed as soon as the server listens there. */
  listen(place: { host: string; port: number }, door?: Door): Promise<string>;
  /** In place of `listen`: serves connections that another process accepted. */
  acceptShared(): Promise<(connection: Socket) => void>;
  /** Answers what comes on open connections and ends each after its answer; resolves when all are gone, or in time. */
  retire(limitMs: number): Promise<void>;
  isDraining(): boolean;
  /** Refuses new work, lets running requests and streams finish within the limit, then closes. */
  drain(limitMs: number): Promise<void>;
};

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { log, routes, bodyTimeouts = BODY_TIMEOUTS } = options;
  const sendError = createErrorAnswers(options);
  const running = createRunningRequests();
  const isHostAllowed = createHostCheck(options.host ?? '127.0.0.1', options.allowedHosts ?? []);

  const app = Fastify({
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: LATE_CHECK_MS,
      shouldUpgradeCallback: createUpgradeCheck(routes),
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as FastifyReply),
    clientErrorHandler: answerClientError,
  });

  const streams = createOpenStreams({ heartbeatMs: options.heartbeatMs, log });

  nameCallers(currentCaller);
  const bodyTurns = createBodyTurns();
  parseJsonBodies(app, bodyTurns);
  app.addContentTypeParser('multipart/form-data', (request, _body, done) => {
    const { takesUpload } = request.routeOptions.config;
    done(
      takesUpload
        ? refusedEncoding(request)
        : requestErrors.unsupported_media_type('Send the body as application/json.'),
    );
  });
  parseForms(app);
  app.setErrorHandler(sendError);
  const absent = (request: FastifyRequest) => describeNotFound(routes, request.method, request.url);
  app.setNotFoundHandler((request, reply) => sendError(absent(request), request, reply));
  const { authenticate, access = NO_WATCH, idempotency, checkResponses = false, observers = [] } = options;
  const { bodyBytesMax = BODY_BYTES_MAX } = options;

  function opened(request: FastifyRequest): void {
    running.add();
    for (const observer of observers) observer.onRequest?.(request);
  }

  /** The response is complete, or its connection gone. */
  function closed(request: FastifyRequest, reply: { statusCode: number }, isComplete: boolean): void {
    running.remove();
    request.watcher?.closed();
    request.leaveBodyTurn?.();
    if (!isComplete) return;
    const elapsedMs = performance.now() - request.startedAt;
    const pattern = patternOf(request);
    for (const observer of observers) observer.onResponse(request, reply, pattern, elapsedMs);
  }

  /** Why no route may have this request. */
  function refuse(request: IncomingMessage): ApiError | undefined {
    const malformed = findMalformed(request);
    if (malformed || PROBES.has(request.url ?? '')) return malformed;
    if (running.isDraining()) return requestErrors.server_stopping();
    return isHostAllowed(request.headers.host) ? undefined : requestErrors.host_not_allowed();
  }

  app.addHook('onRequest', (request, reply, done) => {
    prepare(request, bodyBytesMax);
    setIdHeaders(reply);
    opened(request);
    startBodyTimeout(request, bodyTimeouts);
    // One listener for everything after the response: Fastify's own hook adds three.
    reply.raw.on('close', () => {
      endBodyTimeout(request);
      closed(request, reply, reply.raw.writableFinished);
    });
    const refusal = refuse(request.raw);
    if (refusal && running.isDraining()) reply.header('connection', 'close');
    // Before the body is read, so an unknown path is a 404 whatever its media type.
    done(refusal ?? (request.is404 ? absent(request) : undefined));
  });
  const large = createLargeWriter(createReadingTurns(), (reply, error) =>
    log.error({ err: error, requestId: reply.request.id }, 'A response ended early.'),
  );
  const sockets = acceptSockets(app, log);
  const mounting = {
    sockets,
    authenticate,
    access,
    idempotency,
    checkResponses,
    isHostAllowed,
    stream: streams.open,
    large,
    bodyTurns,
  };
  for (const route of routes) mountRoute(app, route, mounting);
  for (const { path, method } of shadowedMethods(routes))
    app.route({
      method,
      url: path,
      handler: () => undefined,
      onRequest: (request, _reply, done) => done(absent(request)),
    });

  let listening: Listening | undefined;
  const connections = new Set<Socket>();

  return {
    app,
    async listen(place, door) {
      listening = await listen(app, place, door);
      return listening.url;
    },
    async acceptShared() {
      await app.ready();
      return (connection) => {
        // As with a listener of its own.
        connection.allowHalfOpen = true;
        connections.add(connection);
        connection.once('close', () => connections.delete(connection));
        app.server.emit('connection', connection);
        connection.resume();
      };
    },
    async retire(limitMs) {
      app.server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false;
      });
      const untilMs = performance.now() + limitMs;
      while (connections.size > 0 && performance.now() < untilMs) await delay(RETIRE_LOOK_MS);
    },
    isDraining: running.isDraining,
    async drain(limitMs) {
      const drained = running.drain(limitMs);
      streams.endResumable();
      sockets.stopReading();
      await drained;
      streams.stop();
      sockets.terminate();
      listening?.stop();
      const closed = app.close();
      // Requests past the limit and idle connections would keep the listener open forever.
      app.server.closeAllConnections();
      await closed;
    },
  };
}

/** What a request has before it reaches its route. Fastify's decorations would set each by its name, with a lookup. */
function prepare(request: FastifyRequest, bodyBytesMax: number): void {
  request.scope = null;
  request.accessSeen = 0;
  request.routePath = null;
  request.failure = null;
  request.watcher = null;
  request.startedAt = performance.now();
  request.jsonLimits = null;
  request.bodyTimer = null;
  request.leaveBodyTurn = null;
  request.bodyBytesMax = bodyBytesMax;
}

/** A request that was refused before it reached its route has no routePath, and is still Fastify's. */
function patternOf(request: FastifyRequest): string {
  return request.routePath ?? (request.is404 ? 'unmatched' : (request.routeOptions?.url ?? 'unmatched'));
}
