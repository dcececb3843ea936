import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keepBytes } from './body-parsers.ts';
import { forbidden, unauthorized } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import { parseRequest } from './parse-request.ts';
import { RawReply } from './raw-reply.ts';
import { matchesTag, RenderedReply } from './rendered-reply.ts';
import { HttpRequestContext } from './request-context.ts';
import type { AnyRoute } from './route.ts';
import type { Authenticate, Scope } from './scope.ts';
import { SseReply } from './sse.ts';

// Public routes ask for no key and read no scope.
const ANONYMOUS = { principal: 'anonymous', permissions: new Set() } as unknown as Scope;

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope | null;
  }
}

export type MountOptions = {
  authenticate: Authenticate;
  idempotency: Idempotency;
  /** Tests check each answer against its schema; in production the type checker has done that. */
  checkResponses: boolean;
  isHostAllowed: (host: string | undefined) => boolean;
  stream: (reply: FastifyReply, events: SseReply) => void;
};

export function mountRoute(app: FastifyInstance, route: AnyRoute, options: MountOptions): void {
  if (!route.rawBody) addRoute(app, route, options);
  // Parsers belong to a context of Fastify's, so a route with its own needs a context of its own.
  else
    app.register((own, _options, done) => {
      keepBytes(own);
      addRoute(own, route, options);
      done();
    });
}

function addRoute(app: FastifyInstance, route: AnyRoute, options: MountOptions): void {
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyBytesMax === undefined ? {} : { bodyLimit: route.bodyBytesMax }),
    // Before the body is read: a stranger's ten megabytes are not worth parsing.
    onRequest: route.permission === 'public' ? [] : (request, _reply, done) => admit(route, options, request, done),
    handler(request, reply) {
      const context = new HttpRequestContext(request, reply, request.scope ?? ANONYMOUS, parseRequest(route, request));
      const key = request.headers['idempotency-key'];
      if (route.creates && key !== undefined) {
        return options.idempotency.run({ key, route, context, reply }, async () =>
          checked(await route.handler(context)),
        );
      }
      const result = route.handler(context);
      return result instanceof Promise ? result.then((value) => finish(reply, value)) : finish(reply, result);
    },
  });

  function checked(value: unknown): unknown {
    return options.checkResponses && route.response ? route.response.parse(value) : value;
  }

  function finishRendered(reply: FastifyReply, { text, etag }: RenderedReply): unknown {
    reply.header('etag', etag);
    const known = reply.request.headers['if-none-match'];
    if (route.method === 'GET' && known !== undefined && matchesTag(known, etag)) return reply.code(304).send();
    return typeof text === 'function' ? text().then((made) => sendText(reply, made)) : sendText(reply, text);
  }

  function sendText(reply: FastifyReply, text: string | Readable): unknown {
    if (options.checkResponses && typeof text === 'string') checked(JSON.parse(text));
    return reply
      .code(route.status ?? 200)
      .header('content-type', 'application/json; charset=utf-8')
      .send(text);
  }

  function finish(reply: FastifyReply, result: unknown): unknown {
    if (result instanceof SseReply) {
      options.stream(reply, result);
      return reply;
    }
    if (result instanceof RenderedReply) return finishRendered(reply, result);
    if (result instanceof RawReply) return reply.code(result.status).headers(result.headers).send(result.body);
    reply.code(route.status ?? 200);
    return result === undefined ? reply.send() : checked(result);
  }
}

function admit(
  route: AnyRoute,
  { authenticate, isHostAllowed }: MountOptions,
  request: FastifyRequest,
  done: (error?: Error) => void,
): void {
  const settle = (scope: Scope | undefined) => {
    if (!scope) return done(unauthorized());
    if (!scope.permissions.has(route.permission)) {
      return done(forbidden(`This key may not do that: it lacks the permission '${route.permission}'.`));
    }
    request.scope = scope;
    done();
  };
  const { origin } = request.headers;
  if (route.checksOrigin && origin !== undefined && !isHostAllowed(hostOf(origin))) {
    done(forbidden('Pages of this origin may not call this address. Ask the operator to allow its host.'));
    return;
  }
  const found = authenticate(credentialsOf(request.raw), route.surface ?? 'standard');
  if (found instanceof Promise) found.then(settle, done);
  else settle(found);
}

// A sandboxed page sends the word "null", which is no host.
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}

function credentialsOf({ headers }: IncomingMessage) {
  const apiKey = headers['x-api-key'];
  return { authorization: headers.authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined };
}
