import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { uuid } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import { createHostCheck } from './allowed-hosts.ts';
import { parseJsonBodies } from './body-parsers.ts';
import { type ErrorStyles, errorBody, styleOf } from './error-bodies.ts';
import { ApiError, forbidden, unavailable } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import { mountRoute } from './mount-route.ts';
import { describeNotFound } from './not-found.ts';
import type { AnyRoute } from './route.ts';
import { createRunningRequests } from './running-requests.ts';
import type { Authenticate } from './scope.ts';
import { createHeartbeats, SSE_HEADERS, type SseReply, writeSse } from './sse.ts';
import { answerClientError, translateError } from './translate-error.ts';

const BODY_BYTES_MAX = 10 * 1024 * 1024;
const PARAM_CHARACTERS_MAX = 8192;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 72_000;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

export type HttpObserver = {
  /** Called once per answer; `routePath` is the pattern, so its values are few. */
  onResponse(request: FastifyRequest, reply: FastifyReply, routePath: string): void;
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
  checkResponses?: boolean;
};

export type HttpServer = {
  app: FastifyInstance;
  isDraining(): boolean;
  /** Refuses new work, lets running requests and streams finish within the limit, then closes. */
  drain(limitMs: number): Promise<void>;
};

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { log, errorStyles = [] } = options;
  const heartbeats = createHeartbeats(options.heartbeatMs);
  const running = createRunningRequests();
  const isHostAllowed = createHostCheck(options.host ?? '127.0.0.1', options.allowedHosts ?? []);

  const app = Fastify({
    bodyLimit: options.bodyBytesMax ?? BODY_BYTES_MAX,
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as FastifyReply),
    clientErrorHandler: answerClientError,
  });

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = translateError(error);
    setIdHeaders(reply, request.id);
    if (known instanceof ApiError) {
      reply.headers(known.headers);
      if (known.status >= 500) log.error({ err: known.cause ?? known, requestId: request.id }, known.message);
    }
    reply
      .code(known instanceof ApiError ? known.status : 422)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(known, styleOf(errorStyles, request.url))));
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
  app.decorateRequest('scope', null);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request, reply) =>
    sendError(describeNotFound(options.routes, request.method, request.url), request, reply),
  );
  app.addHook('onRequest', (request, reply, done) => {
    setIdHeaders(reply, request.id);
    running.add(reply);
    if (PROBES.has(request.url)) return done();
    if (running.isDraining()) {
      reply.header('connection', 'close');
      return done(unavailable('The server is stopping. Try again in a moment.', 1));
    }
    if (!isHostAllowed(request.headers.host)) {
      return done(
        forbidden('This host name is not one of ours. Ask the operator to add it to TRAMONTANE_ALLOWED_HOSTS.'),
      );
    }
    done();
  });
  for (const observer of options.observers ?? []) {
    app.addHook('onResponse', (request, reply, done) => {
      observer.onResponse(request, reply, request.routeOptions.url ?? 'unmatched');
      done();
    });
  }
  const { authenticate, idempotency, checkResponses = false } = options;
  for (const route of options.routes)
    mountRoute(app, route, { authenticate, idempotency, checkResponses, isHostAllowed, stream });

  return {
    app,
    isDraining: running.isDraining,
    async drain(limitMs) {
      await running.drain(limitMs);
      heartbeats.stop();
      const closed = app.close();
      // Connections that never sent a request would hold the listener open for ever.
      app.server.closeAllConnections();
      await closed;
    },
  };
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuid();
}

function setIdHeaders(reply: FastifyReply, id: string): void {
  reply.raw.setHeader('x-request-id', id);
  reply.raw.setHeader('mistral-correlation-id', id);
}
