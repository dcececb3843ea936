import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { StagedBlob } from '../blobs/index.ts';
import type { Upload, UploadRule } from './multipart.ts';
import type { RawReply } from './raw-reply.ts';
import type { RenderedReply } from './rendered-reply.ts';
import type { JsonLimits } from './scan-json.ts';
import type { Scope, Surface } from './scope.ts';
import type { SseReply } from './sse.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type RequestContext<P = unknown, Q = unknown, B = unknown, U extends StagedBlob = StagedBlob> = {
  scope: Scope;
  params: P;
  query: Q;
  body: B;
  /** Only on a route with an upload rule. */
  upload: Upload<U>;
  /** Scheme and host that the client used, as far as a trusted proxy tells. */
  origin: string;
  requestId: string;
  /** For protocols that speak in headers; what an API parameter says belongs into a schema. */
  headers: IncomingHttpHeaders;
  /** `Last-Event-ID` of a client that resumes a stream. */
  lastEventId: string | undefined;
  /** The entity tags of `If-Match`, as they were sent. */
  ifMatch: string | undefined;
  /** Aborted when the connection ends before the answer is whole: the client left, or its stream was ended. */
  signal: AbortSignal;
  /** `Idempotency-Key`, for rooms that keep it themselves. */
  idempotencyKey: string | undefined;
  /** Sets a header of the answer. */
  setHeader: (name: string, value: string) => void;
};

type RouteCommon = {
  method: Method;
  /** Fastify's syntax: `/v2/prompts/:prompt_id`. */
  path: string;
  operationId: string;
  summary: string;
  tags?: string[];
  /** The one permission a key needs, or `public` for no key at all. */
  permission: string;
  surface?: Surface;
  status?: number;
  /** The POST makes something: `Idempotency-Key` is honoured, `by-room` where the answer may be a stream to come back to. */
  creates?: boolean | 'by-room';
  /** What of the answer may be kept for a repeat under its Idempotency-Key; left out, all of it. */
  remembers?: (answer: never) => unknown;
  bodyBytesMax?: number;
  /** For a body that holds thousands of requests; others have limits of their own. */
  jsonLimits?: JsonLimits;
  /** The handler reads the JSON itself: its `body` is the bytes, and the body's schema only documents them. */
  rawBody?: boolean;
  /** A page of a host that is not ours is refused: browsers name it in `Origin`. */
  checksOrigin?: boolean;
  /** Only pages of this server may ask: what sets or ends a session must not be asked for by a page of somebody else. */
  sameOrigin?: boolean;
  /** The answer may also be a stream of events: for the document, with the schema of an event where there is one. */
  streams?: boolean | z.ZodType;
  /** The stream goes on after the event that `Last-Event-ID` names: for the document. */
  resumes?: boolean;
  /** The media type of an answer that is a file, for the document. */
  downloads?: string;
  /** For the document: statuses that not every route of its kind answers with, and bodies beside the usual one; null is no body. */
  alsoAnswers?: (number | [status: number, body: z.ZodType | null])[];
  /** Left out of the OpenAPI document. */
  hidden?: boolean;
};

export type AnyRoute = RouteCommon & {
  params?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  body?: z.ZodType | undefined;
  response?: z.ZodType | undefined;
  /** The body is multipart/form-data: `body` judges its text fields, and this takes its file. */
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

type Answer<R extends z.ZodType> = z.input<R> | SseReply | RawReply | RenderedReply;

/** One line of a room's table of endpoints: routing, checks, documentation and handler from one place. */
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
