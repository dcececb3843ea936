import { type ErrorStyle, renderError } from './error-bodies.ts';
import { ApiError } from './errors.ts';
import { parseRequest } from './parse-request.ts';
import { RawReply } from './raw-reply.ts';
import { RenderedReply } from './rendered-reply.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute, RequestContext } from './route.ts';
import type { Scope } from './scope.ts';
import { SseReply } from './sse.ts';
import { StreamedJson } from './streamed-json.ts';
import { translateError } from './translate-error.ts';

export type InnerCall = {
  scope: Scope;
  body: unknown;
  requestId: string;
  idempotencyKey: string | undefined;
  signal: AbortSignal;
  trace?: RequestContext['trace'];
};

/** What a client would have received. `failure` is for the log, where the body is generic. */
export type InnerAnswer = { status: number; body: unknown; retryAfterSeconds?: number; failure?: unknown };

const NOT_JSON = [SseReply, RawReply, RenderedReply, StreamedJson];

/**
 * Calls a route from inside, for queued work: the same permission, schemas, handler and error bodies as over HTTP.
 * Only for routes that return JSON.
 */
export async function callRoute(
  route: AnyRoute,
  call: InnerCall,
  style: ErrorStyle = { shape: 'object' },
): Promise<InnerAnswer> {
  try {
    if (!call.scope.permissions.has(route.permission)) {
      throw requestErrors.permission_denied(route.permission);
    }
    const { body } = parseRequest(route, { params: {}, query: {}, body: call.body });
    const answer = await route.handler(contextOf(call, body));
    if (NOT_JSON.some((reply) => answer instanceof reply)) {
      throw requestErrors.streaming_not_supported();
    }
    return { status: route.status ?? 200, body: answer };
  } catch (error) {
    call.signal.throwIfAborted();
    const known = translateError(error);
    const answered: InnerAnswer = renderError(known, style);
    if (!(known instanceof ApiError)) return answered;
    const retryAfter = Number(known.headers['retry-after']);
    return {
      ...answered,
      ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
      ...(known.status >= 500 ? { failure: known.cause ?? known } : {}),
    };
  }
}

function contextOf(call: InnerCall, body: unknown): RequestContext {
  return {
    scope: call.scope,
    params: {},
    query: {},
    body,
    get upload(): never {
      throw new Error('A call from inside has no upload.');
    },
    uploaded: undefined,
    origin: '',
    requestId: call.requestId,
    url: '',
    headers: {},
    trace: call.trace,
    lastEventId: undefined,
    ifMatch: undefined,
    signal: call.signal,
    idempotencyKey: call.idempotencyKey,
    setHeader: () => undefined,
    setStatus: () => undefined,
  };
}
