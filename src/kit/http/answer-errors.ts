import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../base/log.ts';
import { documentedStatuses } from './document-errors.ts';
import { type ErrorStyles, renderError, styleOf } from './error-bodies.ts';
import { ApiError, type ValidationItem } from './errors.ts';
import { setIdHeaders } from './id-headers.ts';
import { lingering } from './linger.ts';
import type { AnyRoute } from './route.ts';
import { translateError } from './translate-error.ts';

type Options = { log: Logger; routes: AnyRoute[]; errorStyles?: ErrorStyles; checkResponses?: boolean };

/** Turns whatever a request ended with into its answer and, where somebody should know, a line in the log. */
export function createErrorAnswers({ log, routes, errorStyles = [], checkResponses = false }: Options) {
  return function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = translateError(error);
    request.failure = known instanceof ApiError ? known.message : describeFirst(known.items);
    setIdHeaders(reply);
    if (known instanceof ApiError) {
      reply.headers(known.headers);
      if (hasLeft(error, reply)) {
        log.debug({ requestId: request.id }, 'The client left before the response.');
      } else if (known.status >= 500) {
        log[levelOf(known)]({ err: known.cause ?? known, code: known.code, requestId: request.id }, known.message);
      } else {
        // Without the message, which may quote the request.
        log.debug({ code: known.code, status: known.status, requestId: request.id }, 'A request was refused.');
      }
    }
    const { status, body } = renderError(known, styleOf(errorStyles, request.url));
    if (checkResponses) refuseUndocumented(routes, request, status);
    const text = JSON.stringify(body);
    reply.code(status).type('application/json; charset=utf-8');
    if (status !== 413) return void reply.send(text);
    reply.header('connection', 'close').header('content-length', Buffer.byteLength(text));
    reply.send(lingering(text, request.raw));
  };
}

/**
 * A 500, or an error with a cause, needs attention. Another server that fails is a warning: users name some of those, as
 * connectors, and could fill the log with errors.
 */
export function levelOf({ status, cause }: ApiError): 'error' | 'warn' {
  if (status === 502 || status === 504) return 'warn';
  return status === 500 || cause !== undefined ? 'error' : 'warn';
}

/** For tests: an error that the OpenAPI document does not list for its route is a mistake in the route's table. */
function refuseUndocumented(routes: AnyRoute[], { method, routePath }: FastifyRequest, status: number): void {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = routes.find((one) => one.path === routePath && one.method === wanted);
  if (!route || route.hidden || documentedStatuses(route).has(status)) return;
  throw new Error(`${method} ${routePath} returned ${status}, which is not in its alsoAnswers`);
}

/** The end of work whose client is gone is nobody's mistake. */
function hasLeft(error: unknown, { raw }: FastifyReply): boolean {
  return raw.destroyed && error instanceof Error && error.name === 'AbortError';
}

/** `body.messages: Field required`: the first mistake, for lists of recent errors. */
function describeFirst([first]: ValidationItem[]): string {
  return first ? `${first.loc.join('.')}: ${first.msg}` : 'The request is not valid.';
}
