import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { forbidden, unauthorized } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import { parseRequest } from './parse-request.ts';
import { RawReply } from './raw-reply.ts';
import { HttpRequestContext } from './request-context.ts';
import type { AnyRoute } from './route.ts';
import type { Authenticate, Scope } from './scope.ts';
import { SseReply } from './sse.ts';

// Public routes ask for no key and read no scope.
const ANONYMOUS = { principal: 'anonymous', permissions: new Set() } as unknown as Scope;

declare module 'fastify' {
  interface FastifyRequest {
    scope: Scope | null;
    /** The pattern of the route, known once the request has reached it. */
    routePath: string | null;
  }
}

export type MountOptions = {
  authenticate: Authenticate;
  idempotency: Idempotency;
  /** Tests check each answer against its schema; in production the type checker has done that. */
  checkResponses: boolean;
  stream: (reply: FastifyReply, events: SseReply) => void;
};

export function mountRoute(app: FastifyInstance, route: AnyRoute, options: MountOptions): void {
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyBytesMax === undefined ? {} : { bodyLimit: route.bodyBytesMax }),
    // Before the body is read: a stranger's ten megabytes are not worth parsing.
    onRequest(request, _reply, done) {
      request.routePath = route.path;
      if (route.permission === 'public') done();
      else admit(route, options.authenticate, request, done);
    },
    handler(request, reply) {
      const context = new HttpRequestContext(request, reply, request.scope ?? ANONYMOUS, parseRequest(route, request));
      const key = request.headers['idempotency-key'];
      if (route.creates && key !== undefined) {
        return options.idempotency.run({ key, route, context, reply }, async () =>
          checked(await route.handler(context)),
        );
      }
      const result = route.handler(context);
      return result instanceof Promise
        ? result.then((value) => finish(context, reply, value))
        : finish(context, reply, result);
    },
  });

  function checked(value: unknown): unknown {
    return options.checkResponses && route.response ? route.response.parse(value) : value;
  }

  function finish(context: HttpRequestContext, reply: FastifyReply, result: unknown): unknown {
    if (result instanceof SseReply) {
      options.stream(reply, result);
      return reply;
    }
    context.answered();
    if (result instanceof RawReply) return reply.headers(result.headers).send(result.body);
    reply.code(route.status ?? 200);
    return result === undefined ? reply.send() : checked(result);
  }
}

function admit(
  route: AnyRoute,
  authenticate: Authenticate,
  request: FastifyRequest,
  done: (error?: Error) => void,
): void {
  const found = authenticate(credentialsOf(request.raw), route.surface ?? 'standard');
  if (found instanceof Promise) found.then((scope) => enter(route, scope, request, done), done);
  else enter(route, found, request, done);
}

function enter(
  route: AnyRoute,
  scope: Scope | undefined,
  request: FastifyRequest,
  done: (error?: Error) => void,
): void {
  if (!scope) done(unauthorized());
  else if (!scope.permissions.has(route.permission))
    done(forbidden(`This key may not do that: it lacks the permission '${route.permission}'.`));
  else {
    request.scope = scope;
    done();
  }
}

function credentialsOf({ headers }: IncomingMessage) {
  const apiKey = headers['x-api-key'];
  return { authorization: headers.authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined };
}
