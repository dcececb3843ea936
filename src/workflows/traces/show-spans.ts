import type {
  TempoTraceAttribute,
  TempoTraceSpan,
  TraceEventsQuery,
  WorkflowExecutionProgressTraceEvent,
  WorkflowExecutionTraceEvent,
  WorkflowExecutionTraceSummarySpan,
} from '../schema/traces.ts';
import type { Span, SpanEvent, SpanValue } from './build-spans.ts';

/** A span that still runs ends now: a trace has no open ones. */
export function toOtel(span: Span, traceId: string, nowMicros: number): TempoTraceSpan {
  return {
    traceId,
    spanId: span.id,
    parentSpanId: span.parentId,
    name: span.name,
    kind: 'SPAN_KIND_INTERNAL',
    startTimeUnixNano: nanos(span.startMicros),
    endTimeUnixNano: nanos(span.endMicros ?? Math.max(nowMicros, span.startMicros)),
    attributes: otelAttributes(attributesOf(span)),
    events: span.events.map(({ name, micros, attributes }) => ({
      name,
      timeUnixNano: nanos(micros),
      attributes: otelAttributes(attributes),
    })),
  };
}

export function otelAttributes(attributes: Record<string, SpanValue>): TempoTraceAttribute[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otelValue(value) }));
}

function otelValue(value: SpanValue): TempoTraceAttribute['value'] {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Internal spans are left out with all that they hold. */
export function toTree(spans: readonly Span[]): WorkflowExecutionTraceSummarySpan | null {
  const [root, ...others] = spans.filter(({ isInternal }) => !isInternal);
  if (!root) return null;
  const shown = new Map(spans.map((span) => [span.id, { ...summaryOf(span), children: [] as SummarySpan[] }]));
  const top = shown.get(root.id);
  for (const span of others) {
    const parent = (span.parentId !== null && shown.get(span.parentId)) || top;
    const own = shown.get(span.id);
    if (parent && own) parent.children.push(own);
  }
  return top ?? null;
}
type SummarySpan = WorkflowExecutionTraceSummarySpan;

function summaryOf(span: Span): SummarySpan {
  return {
    span_id: span.id,
    name: span.name,
    start_time_unix_nano: span.startMicros,
    end_time_unix_nano: span.endMicros,
    attributes: attributesOf(span),
    events: span.events.map((event) => toEvent(span, event)),
  };
}

function toEvent(span: Span, { name, micros, attributes, isInternal }: SpanEvent): WorkflowExecutionTraceEvent {
  return { type: 'EVENT', name, id: span.id, timestamp_unix_nano: micros, attributes, internal: isInternal };
}

type TraceEvent = WorkflowExecutionTraceEvent | WorkflowExecutionProgressTraceEvent;

/** Each span as it began and as it ended, or merged into one event that has both times. */
export function toEvents(spans: readonly Span[], query: TraceEventsQuery): TraceEvent[] {
  const events = spans.flatMap((span): TraceEvent[] => {
    const last = progressOf(span, span.startMicros);
    if (query.merge_same_id_events) return [last];
    const first = { ...last, status: 'RUNNING' as const, end_time_unix_ms: null, error: null };
    const ended = span.endMicros === null ? [] : [{ ...last, timestamp_unix_nano: span.endMicros }];
    return [first, ...span.events.map((event) => toEvent(span, event)), ...ended];
  });
  return events
    .filter(({ internal }) => query.include_internal_events || !internal)
    .sort((a, b) => a.timestamp_unix_nano - b.timestamp_unix_nano);
}

function progressOf(span: Span, micros: number): WorkflowExecutionProgressTraceEvent {
  return {
    type: 'EVENT_PROGRESS',
    name: span.name,
    id: span.id,
    timestamp_unix_nano: micros,
    attributes: attributesOf(span),
    internal: span.isInternal,
    status: span.status,
    start_time_unix_ms: Math.floor(span.startMicros / 1000),
    end_time_unix_ms: span.endMicros === null ? null : Math.floor(span.endMicros / 1000),
    error: span.error,
  };
}

/** OpenTelemetry's names for a status; spans have no field for it here. */
function attributesOf({ attributes, status, error }: Span): Record<string, SpanValue> {
  const code = { RUNNING: 'UNSET', COMPLETED: 'OK', FAILED: 'ERROR' }[status];
  return { ...attributes, 'otel.status_code': code, ...(error === null ? {} : { 'error.message': error }) };
}

function nanos(micros: number): string {
  return `${Math.floor(micros)}000`;
}
