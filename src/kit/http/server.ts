import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { uuid } from '../base/ids.ts';
import { type ErrorStyles, errorBody, styleOf } from './error-bodies.ts';
import { ApiError, forbidden, unauthorized, unavailable, ValidationFailed } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import { parseJson } from './json-body.ts';
import { describeNotFound } from './not-found.ts';
import { RawReply } from './raw-reply.ts';
import { HttpRequestContext } from './request-context.ts';
import type { AnyRoute } from './route.ts';
import type { Authenticate, Scope } from './scope.ts';
import { createHeartbeats, SSE_HEADERS, SseReply, writeSse } from './sse.ts';
import { toValidationItems } from './validation-errors.ts';

const MIB = 1024 * 1024;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 72_000;
// Public routes ask for no key and read no scope.
const ANONYMOUS = { principal: 'anonymous', permissions: new Set() } as unknown as Scope;
/** A route that names no query parameters takes none. */
const NO_QUERY = z.strictObject({});
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

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
  observer?: HttpObserver;
  trustedProxies?: string[];
  bodyBytesMax?: number;
  heartbeatMs?: number;
  /** Tests check each answer against its schema; in production the type checker has done that. */
  checkResponses?: boolean;
};

export type HttpServer = {
  app: FastifyInstance;
  isDraining(): boolean;
  /** Refuses new work, lets running requests and streams finish within the limit, then closes. */
  drain(limitMs: number): Promise<void>;
};

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope | null;
  }
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { authenticate, log, observer, errorStyles = [] } = options;
  const heartbeats = createHeartbeats(options.heartbeatMs);
  const running = new Set<FastifyReply>();
  let draining = false;

  const app = Fastify({
    bodyLimit: options.bodyBytesMax ?? 10 * MIB,
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: false },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: false,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as FastifyReply),
    clientErrorHandler(error: NodeJS.ErrnoException, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
      const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[status];
      const body = JSON.stringify(
        errorBody(new ApiError(status, `${reason}. The connection was closed.`), { shape: 'object' }),
      );
      socket.end(
        `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    },
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
  });

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = translate(error);
    const cause = known instanceof ApiError ? known.cause : undefined;
    if (known instanceof ApiError && known.status >= 500)
      log.error({ err: cause ?? known, requestId: request.id }, known.message);
    if (known instanceof ApiError) reply.headers(known.headers);
    setIdHeaders(reply, request.id);
    reply
      .code(known instanceof ApiError ? known.status : 422)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(errorBody(known, styleOf(errorStyles, request.url)));
  }

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    try {
      done(null, body.length === 0 ? undefined : parseJson(body));
    } catch (error) {
      done(error as Error);
    }
  });
  app.decorateRequest('scope', null);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(describeNotFound(options.routes, request.method, request.url), request, reply),
  );
  app.addHook('onRequest', (request, reply, done) => {
    setIdHeaders(reply, request.id);
    if (draining && !isProbe(request)) {
      reply.header('connection', 'close');
      return done(unavailable('The server is stopping. Try again in a moment.', 1));
    }
    running.add(reply);
    reply.raw.once('close', () => running.delete(reply));
    done();
  });
  if (observer) {
    app.addHook('onResponse', (request, reply, done) => {
      observer.onResponse(request, reply, request.routeOptions.url ?? 'unmatched');
      done();
    });
  }

  for (const route of options.routes) mount(route);

  function mount(route: AnyRoute): void {
    const surface = route.surface ?? 'standard';
    const isPublic = route.permission === 'public';
    app.route({
      method: route.method,
      url: route.path,
      ...(route.bodyBytesMax === undefined ? {} : { bodyLimit: route.bodyBytesMax }),
      onRequest: (request, _reply, done) => {
        if (isPublic) return done();
        const admit = (scope: Scope | undefined) => {
          if (!scope) return done(unauthorized());
          if (!scope.permissions.has(route.permission)) {
            return done(forbidden(`This key may not do that: it lacks the permission '${route.permission}'.`));
          }
          request.scope = scope;
          done();
        };
        try {
          const found = authenticate(credentialsOf(request.raw), surface);
          if (found instanceof Promise) found.then(admit, done);
          else admit(found);
        } catch (error) {
          done(error as Error);
        }
      },
      handler: (request, reply) => {
        const context = new HttpRequestContext(request, reply, request.scope ?? ANONYMOUS);
        parseInto(context, route, request);
        const work = () => route.handler(context);
        const key = request.headers['idempotency-key'];
        if (route.creates && key !== undefined) {
          return options.idempotency.run({ key, route, context, reply }, async () => checked(await work()));
        }
        return finish(reply, route, work());
      },
    });

    function checked(value: unknown): unknown {
      if (options.checkResponses && route.response) return route.response.parse(value);
      return value;
    }

    function finish(reply: FastifyReply, route: AnyRoute, result: unknown): unknown {
      if (result instanceof Promise) return result.then((value) => finish(reply, route, value));
      if (result instanceof SseReply) return stream(reply, result);
      if (result instanceof RawReply) return reply.headers(result.headers).send(result.body);
      const status = route.status ?? 200;
      reply.code(status);
      if (status === 204 || result === undefined) {
        reply.send();
        return reply;
      }
      return checked(result);
    }
  }

  function stream(reply: FastifyReply, { events }: SseReply): FastifyReply {
    reply.hijack();
    reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...SSE_HEADERS });
    writeSse(events, reply.raw, heartbeats).catch((error: unknown) => {
      log.error({ err: error, requestId: reply.request.id }, 'a stream ended early');
    });
    return reply;
  }

  return {
    app,
    isDraining: () => draining,
    async drain(limitMs) {
      draining = true;
      const idle = new Promise<void>((resolve) => {
        const check = () => {
          if (running.size === 0) resolve();
        };
        for (const reply of running) reply.raw.once('close', () => setImmediate(check));
        check();
      });
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([idle, limit]);
      clearTimeout(timer);
      heartbeats.stop();
      for (const reply of running) reply.raw.destroy();
      app.server.closeIdleConnections();
      await app.close();
    },
  };
}

function parseInto(context: HttpRequestContext, route: AnyRoute, request: FastifyRequest): void {
  // All three are checked before anything is refused, so that a client sees every mistake at once.
  const failures: ValidationFailed['items'] = [];
  const parse = (schema: z.ZodType | undefined, where: 'path' | 'query' | 'body', input: unknown): unknown => {
    if (!schema) return input;
    const result = schema.safeParse(input);
    if (result.success) return result.data;
    failures.push(...toValidationItems(result.error, where, input));
    return undefined;
  };
  context.params = parse(route.params, 'path', request.params);
  context.query = parse(route.query ?? NO_QUERY, 'query', request.query);
  if (route.body) {
    if (request.body === undefined)
      failures.push({ type: 'missing', loc: ['body'], msg: 'Field required', input: null });
    else context.body = parse(route.body, 'body', request.body);
  }
  if (failures.length > 0) throw new ValidationFailed(failures);
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuid();
}

function setIdHeaders(reply: FastifyReply, id: string): void {
  reply.raw.setHeader('x-request-id', id);
  reply.raw.setHeader('mistral-correlation-id', id);
}

function credentialsOf({ headers }: IncomingMessage) {
  const apiKey = headers['x-api-key'];
  return { authorization: headers.authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined };
}

function isProbe(request: FastifyRequest): boolean {
  return request.url === '/readyz' || request.url === '/healthz' || request.url === '/metrics';
}

function translate(error: unknown): ApiError | ValidationFailed {
  if (error instanceof ApiError || error instanceof ValidationFailed) return error;
  const code = (error as Partial<FastifyError> | null)?.code;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError(413, 'The request body is too large for this endpoint.');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError(415, 'Send the body as application/json.');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new ApiError(400, 'The body does not match its Content-Length.');
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new ApiError(400, 'The address of the request is not valid.');
  return new ApiError(500, 'Something went wrong on our side. Report the request id to the operator.', {
    cause: error,
  });
}
