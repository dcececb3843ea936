import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { uuid } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import { createHostCheck } from './allowed-hosts.ts';
import { parseJsonBodies, refusedEncoding } from './body-parsers.ts';
import { type ErrorStyles, errorBody, styleOf } from './error-bodies.ts';
import { ApiError, type ValidationItem } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import { type ArrivalLimits, endArrival, limitArrival } from './limit-arrival.ts';
import { lingering } from './linger.ts';
import { mountRoute } from './mount-route.ts';
import { describeNotFound, shadowedMethods } from './not-found.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute } from './route.ts';
import { createRunningRequests } from './running-requests.ts';
import type { Authenticate } from './scope.ts';
import { createHeartbeats, SSE_HEADERS, type SseReply, writeSse } from './sse.ts';
import { answerClientError, translateError } from './translate-error.ts';

const BODY_BYTES_MAX = 10 * 1024 * 1024;
const PARAM_CHARACTERS_MAX = 8192;
const HEADERS_TIMEOUT_MS = 20_000;
/** How often Node looks for connections that are late: they are gone so much after their time at most. */
const LATE_CHECK_MS = 2000;
const ARRIVAL_LIMITS: ArrivalLimits = { wholeMs: 120_000, idleMs: 30_000 };
/** Node knows one limit for all requests, so this is the one for the largest; the others have ours. */
const REQUEST_TIMEOUT_MS = 60 * 60 * 1000;
const KEEP_ALIVE_MS = 72_000;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

export type HttpObserver = {
  /** Called when a request has arrived, before anything is known of it but its first line and headers. */
  onRequest?(request: FastifyRequest): void;
  /** Called once per answer that was sent whole; `routePath` is the pattern, so its values are few. */
  onResponse(request: FastifyRequest, reply: FastifyReply, routePath: string, elapsedMs: number): void;
};

export type HttpServerOptions = {
  routes: AnyRoute[];
  authenticate: Authenticate;
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
  arrivalLimits?: ArrivalLimits;
  checkResponses?: boolean;
};

export type HttpServer = {
  app: FastifyInstance;
  isDraining(): boolean;
  /** Refuses new work, lets running requests and streams finish within the limit, then closes. */
  drain(limitMs: number): Promise<void>;
};

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { log, errorStyles = [], arrivalLimits = ARRIVAL_LIMITS } = options;
  const heartbeats = createHeartbeats(options.heartbeatMs);
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
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as FastifyReply),
    clientErrorHandler: answerClientError,
  });

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = translateError(error);
    request.failure = known instanceof ApiError ? known.message : describeFirst(known.items);
    setIdHeaders(reply, request.id);
    if (known instanceof ApiError) {
      reply.headers(known.headers);
      if (known.status >= 500) {
        // A time limit or a model's bad answer is news; what has a cause, or is a 500, is for somebody to look at.
        const level = known.status === 500 || known.cause !== undefined ? 'error' : 'warn';
        log[level]({ err: known.cause ?? known, code: known.code, requestId: request.id }, known.message);
      } else log.debug({ code: known.code, status: known.status, requestId: request.id }, known.message);
    }
    const status = known instanceof ApiError ? known.status : 422;
    const text = JSON.stringify(errorBody(known, styleOf(errorStyles, request.url)));
    reply.code(status).type('application/json; charset=utf-8');
    if (status !== 413) return void reply.send(text);
    reply.header('connection', 'close').header('content-length', Buffer.byteLength(text));
    reply.send(lingering(text, request.raw));
  }

  function stream(reply: FastifyReply, { events, resumable }: SseReply): void {
    reply.hijack();
    if (resumable) running.markResumable(reply);
    reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...SSE_HEADERS });
    writeSse(events, reply.raw, heartbeats).catch((error: unknown) => {
      log.error({ err: error, requestId: reply.request.id }, 'A stream ended early.');
    });
  }

  parseJsonBodies(app);
  app.addContentTypeParser('multipart/form-data', (request, _body, done) => {
    const { takesUpload } = request.routeOptions.config;
    done(
      takesUpload
        ? refusedEncoding(request)
        : requestErrors.unsupported_media_type('Send the body as application/json.'),
    );
  });
  app.decorateRequest('scope', null);
  app.decorateRequest('routePath', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('jsonLimits', null);
  app.decorateRequest('arrivalTimer', null);
  app.decorateRequest('bodyBytesMax', options.bodyBytesMax ?? BODY_BYTES_MAX);
  app.setErrorHandler(sendError);
  const absent = (request: FastifyRequest) => describeNotFound(options.routes, request.method, request.url);
  app.setNotFoundHandler((request, reply) => sendError(absent(request), request, reply));
  const { authenticate, idempotency, checkResponses = false, observers = [] } = options;
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    setIdHeaders(reply, request.id);
    running.add();
    limitArrival(request, arrivalLimits);
    // One listener for all that happens after an answer: Fastify's own hook for it takes three more.
    reply.raw.on('close', () => {
      running.remove(reply);
      endArrival(request);
      if (!reply.raw.writableFinished) return;
      const elapsedMs = performance.now() - startedAt;
      for (const observer of observers) observer.onResponse(request, reply, patternOf(request), elapsedMs);
    });
    for (const observer of observers) observer.onRequest?.(request);
    if (PROBES.has(request.url)) return done();
    if (running.isDraining()) {
      reply.header('connection', 'close');
      return done(requestErrors.server_stopping());
    }
    if (!isHostAllowed(request.headers.host)) {
      return done(requestErrors.host_not_allowed());
    }
    // Before the body is read: what nobody takes need not be of any media type.
    done(request.is404 ? absent(request) : undefined);
  });
  const mounting = { authenticate, idempotency, checkResponses, isHostAllowed, stream };
  for (const route of options.routes) mountRoute(app, route, mounting);
  for (const { path, method } of shadowedMethods(options.routes))
    app.route({
      method,
      url: path,
      handler: () => undefined,
      onRequest: (request, _reply, done) => done(absent(request)),
    });

  return {
    app,
    isDraining: running.isDraining,
    async drain(limitMs) {
      await running.drain(limitMs);
      heartbeats.stop();
      const closed = app.close();
      // What outlasted the limit, and connections that never sent a request, would hold the listener open for ever.
      app.server.closeAllConnections();
      await closed;
    },
  };
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuid();
}

/** `body.messages: Field required`: of all mistakes the first, for people who look at a list of failures. */
function describeFirst([first]: ValidationItem[]): string {
  return first ? `${first.loc.join('.')}: ${first.msg}` : 'The request is not valid.';
}

/** A request that was refused before it reached its route has not noted the pattern. */
function patternOf(request: FastifyRequest): string {
  return request.routePath ?? (request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched'));
}

function setIdHeaders(reply: FastifyReply, id: string): void {
  reply.header('x-request-id', id).header('mistral-correlation-id', id);
}
