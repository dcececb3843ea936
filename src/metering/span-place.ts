import { createHash } from 'node:crypto';
import { randomHex } from '../kit/base/ids.ts';

const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}/;
/** But for that of zeros, which is no id of a trace. */
const UUID = /^(?!0{8}-0{4}-0{4})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Where a span is in its trace. */
export type SpanPlace = {
  traceId: string;
  spanId: string;
  /** Empty when nothing is above it. */
  parentId: string;
  /** Whether the parent is a span of this server. */
  isWithin: boolean;
};

/** In the client's trace, if it has one; else the request is a trace, whose id can be told from the request's. */
export function placeSpan(
  trace: { traceparent?: string | undefined; isWithin?: boolean | undefined } | undefined,
  requestId: string,
): SpanPlace {
  const spanId = newSpanId();
  if (trace?.traceparent) {
    const [, traceId, parentId] = TRACEPARENT.exec(trace.traceparent) ?? [];
    if (traceId && parentId) return { traceId, spanId, parentId, isWithin: trace.isWithin === true };
  }
  return { traceId: toTraceId(requestId), spanId, parentId: '', isWithin: false };
}

/** A part of the work of another span. */
export function placeWithin({ traceId, spanId }: SpanPlace): SpanPlace {
  return { traceId, spanId: newSpanId(), parentId: spanId, isWithin: true };
}

/** For requests within the work of a span. */
export function traceWithin({ traceId, spanId }: Pick<SpanPlace, 'traceId' | 'spanId'>) {
  return { traceparent: `00-${traceId}-${spanId}-01`, isWithin: true };
}

/** The id of a request, a job or an execution as one of a trace. */
export function toTraceId(id: string): string {
  if (!UUID.test(id)) return createHash('sha256').update(id).digest('hex').slice(0, 32);
  // Five times as fast as a replacement of the hyphens, for every request.
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}

/** The same span for the same work, whichever process ends it. */
export function toSpanId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 16);
}

function newSpanId(): string {
  return randomHex(8);
}
