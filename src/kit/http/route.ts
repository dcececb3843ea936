import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { StagedBlob } from '../blobs/index.ts';
import type { Upload, UploadRule } from './multipart.ts';
import type { RawReply } from './raw-reply.ts';
import type { RenderedReply } from './rendered-reply.ts';
import type { JsonLimits } from './scan-json.ts';
import type { Scope, Surface } from './scope.ts';
import type { SocketReply } from './socket-reply.ts';
import type { SseReply } from './sse.ts';
import type { StreamedJson } from './streamed-json.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type RequestContext<P = unknown, Q = unknown, B = unknown, U extends StagedBlob = StagedBlob> = {
  scope: Scope;
  params: P;
  query: Q;
  body: B;
  /** Only on a route with an upload rule. */
  upload: Upload<U>;
  /** The same where the file is optional. */
  uploaded: Upload<U> | undefined;
  /** Scheme and host that the client used, as far as a trusted proxy tells. */
  origin: string;
  requestId: string;
  /** Path and query as the client sent them. */
  url: string;
  /** For protocols that use headers; API parameters belong in a schema. */
  headers: IncomingHttpHeaders;
  /** The W3C header of a client that traces its calls. */
  trace?: { traceparent?: string | undefined } | undefined;
  /** `Last-Event-ID` of a client that resumes a stream. */
  lastEventId: string | undefined;
  /** The entity tags of `If-Match`, as they were sent. */
  ifMatch: string | undefined;
  /** Aborted when the connection ends before the response is complete. */
  signal: AbortSignal;
  /** `Idempotency-Key`, for rooms that handle it themselves. */
  idempotencyKey: string | undefined;
  /** Sets a response header. */
  setHeader: (name: string, value: string) => void;
  /** Answers with another success than the route's own. Call it on the context. */
  setStatus(status: number): void;
};

type RouteCommon = {
  method: Method;
  /** Fastify's syntax: `/v1/items/:item_id`. */
  path: string;
  operationId: string;
  summary: string;
  tags?: string[];
  /** The one permission a key needs, or `public` for no key at all. */
  permission: string;
  surface?: Surface;
  status?: number;
  /** The POST creates something: `Idempotency-Key` is honoured; `by-room` where the response may be a resumable stream. */
  creates?: boolean | 'by-room';
  /** The part of the response that may be stored for a repeat under its Idempotency-Key; default: all. */
  remembers?: (answer: never) => unknown;
  /** It stores what it is sent, without being a POST that creates something: storage limits apply to both. */
  stores?: boolean;
  /** Takes content for models, payloads or definitions: bodies up to the server's limit. Other routes take 1 MiB. */
  largeBody?: boolean;
  /** Instead of the server's limit. */
  bodyBytesMax?: number;
  /** The response may have megabytes that are prepared at once: few are at a time. Not for streamed lists. */
  large?: boolean;
  /** For bodies with thousands of requests; the default limits are lower. */
  jsonLimits?: JsonLimits;
  /** The handler parses the JSON itself, or bodies of these types: `body` is the bytes, the schema only documents them. */
  rawBody?: boolean | readonly string[];
  /** With `rawBody`: the body may have a Content-Encoding, which the handler undoes within a bound. */
  mayBeEncoded?: boolean;
  /** Refuses pages of other hosts by their `Origin`. */
  checksOrigin?: boolean;
  /** Same-origin pages only, for routes that start or end a session. */
  sameOrigin?: boolean;
  /** A WebSocket. */
  socket?: boolean;
  /** For the document: the response may be an event stream; the schema of its events. */
  streams?: z.ZodType;
  /** For the document: the stream resumes after `Last-Event-ID`. */
  resumes?: boolean;
  /** For the document: the media types of a response that is a file. */
  downloads?: string | readonly string[];
  /** For the document: additional statuses, and bodies beside the usual one; null is no body. */
  alsoAnswers?: (number | [status: number, body: z.ZodType | null])[];
  /** Left out of the OpenAPI document. */
  hidden?: boolean;
};

export type AnyRoute = RouteCommon & {
  params?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  body?: z.ZodType | undefined;
  response?: z.ZodType | undefined;
  /** The body is multipart/form-data: `body` parses its text fields, and this takes its file. */
  upload?: UploadRule | undefined;
  handler: (context: RequestContext) => unknown;
};

type Handler<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  U extends StagedBlob,
> = (context: RequestContext<z.output<P>, z.output<Q>, z.output<B>, U>) => Answer<R> | Promise<Answer<R>>;

type Answer<R extends z.ZodType> =
  | z.input<R>
  | StreamedJson<z.input<R>>
  | SseReply
  | SocketReply
  | RawReply
  | RenderedReply;

/** One row of a room's table of endpoints: routing, checks, documentation and handler. */
export function route<
  P extends z.ZodType = z.ZodUnknown,
  Q extends z.ZodType = z.ZodUnknown,
  B extends z.ZodType = z.ZodUnknown,
  R extends z.ZodType = z.ZodUndefined,
  U extends StagedBlob = StagedBlob,
>(
  definition: RouteCommon & {
    params?: P;
    query?: Q;
    body?: B;
    response?: R;
    upload?: UploadRule<U>;
    handler: Handler<P, Q, B, R, U>;
  },
): AnyRoute {
  return definition as unknown as AnyRoute;
}
