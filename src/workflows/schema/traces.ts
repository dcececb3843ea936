import { z } from 'zod';
import { queryBool } from '../../kit/http/index.ts';
import { WorkflowExecutionResponse } from './executions.ts';

export const ExecutionTraceInfoResponse = z
  .object({ otel_trace_id: z.string().nullable().optional(), has_trace_data: z.boolean().default(false) })
  .meta({ id: 'ExecutionTraceInfoResponse' });
export type ExecutionTraceInfoResponse = z.output<typeof ExecutionTraceInfoResponse>;

const AttributeValue = z
  .union([z.string(), z.int(), z.number(), z.boolean(), z.array(z.unknown()), z.null()])
  .meta({ id: 'WorkflowExecutionTraceSummaryAttributesValues' });
const attributes = z.record(z.string(), AttributeValue);

const EventType = z.enum(['EVENT', 'EVENT_PROGRESS']).meta({ id: 'EventType' });
const EventProgressStatus = z.enum(['RUNNING', 'COMPLETED', 'FAILED']).meta({ id: 'EventProgressStatus' });

/** Microseconds, as in events: nanoseconds are not safe integers, and the TypeScript SDK refuses those. */
const UnixNano = z.int();

const event = {
  name: z.string(),
  id: z.string(),
  timestamp_unix_nano: UnixNano,
  attributes,
  internal: z.boolean().default(false),
};
const WorkflowExecutionTraceEvent = z
  .object({ type: EventType.default('EVENT'), ...event })
  .meta({ id: 'WorkflowExecutionTraceEvent' });
export type WorkflowExecutionTraceEvent = z.output<typeof WorkflowExecutionTraceEvent>;
const WorkflowExecutionProgressTraceEvent = z
  .object({
    type: EventType.default('EVENT_PROGRESS'),
    ...event,
    status: EventProgressStatus.default('RUNNING'),
    start_time_unix_ms: z.int(),
    end_time_unix_ms: z.int().nullable().optional(),
    error: z.string().nullable().optional(),
  })
  .meta({ id: 'WorkflowExecutionProgressTraceEvent' });
export type WorkflowExecutionProgressTraceEvent = z.output<typeof WorkflowExecutionProgressTraceEvent>;

const WorkflowExecutionTraceSummarySpan = z
  .object({
    span_id: z.string(),
    name: z.string(),
    start_time_unix_nano: UnixNano,
    end_time_unix_nano: UnixNano.nullable(),
    attributes,
    events: z.array(WorkflowExecutionTraceEvent),
    get children() {
      return z.array(WorkflowExecutionTraceSummarySpan).optional();
    },
  })
  .meta({ id: 'WorkflowExecutionTraceSummarySpan' });
export type WorkflowExecutionTraceSummarySpan = z.output<typeof WorkflowExecutionTraceSummarySpan>;

const ArrayElement = z
  .object({
    stringValue: z.string().nullable().optional(),
    intValue: z.string().nullable().optional(),
    doubleValue: z.number().nullable().optional(),
    boolValue: z.boolean().nullable().optional(),
  })
  .meta({ id: 'TempoTraceAttributeArrayElement' });
const TempoTraceAttribute = z
  .object({
    key: z.string(),
    value: z.union([
      z.object({ stringValue: z.string() }).meta({ id: 'TempoTraceAttributeStringValue' }),
      z.object({ intValue: z.string() }).meta({ id: 'TempoTraceAttributeIntValue' }),
      z.object({ doubleValue: z.number() }).meta({ id: 'TempoTraceAttributeDoubleValue' }),
      z.object({ boolValue: z.boolean() }).meta({ id: 'TempoTraceAttributeBoolValue' }),
      z
        .object({
          arrayValue: z
            .object({ values: z.array(ArrayElement).optional() })
            .meta({ id: 'TempoTraceAttributeArrayContainer' }),
        })
        .meta({ id: 'TempoTraceAttributeArrayValue' }),
    ]),
  })
  .meta({ id: 'TempoTraceAttribute' });
export type TempoTraceAttribute = z.output<typeof TempoTraceAttribute>;
const tempoAttributes = z.array(TempoTraceAttribute).optional();
const TempoTraceEvent = z
  .object({ name: z.string(), timeUnixNano: z.string(), attributes: tempoAttributes })
  .meta({ id: 'TempoTraceEvent' });
const TempoTraceSpan = z
  .object({
    traceId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().nullable().optional(),
    name: z.string(),
    kind: z.enum(['SPAN_KIND_INTERNAL', 'SPAN_KIND_SERVER', 'SPAN_KIND_CLIENT']).meta({ id: 'TempoTraceScopeKind' }),
    startTimeUnixNano: z.string(),
    endTimeUnixNano: z.string(),
    attributes: tempoAttributes,
    events: z.array(TempoTraceEvent).optional(),
  })
  .meta({ id: 'TempoTraceSpan' });
export type TempoTraceSpan = z.output<typeof TempoTraceSpan>;
const TempoGetTraceResponse = z
  .object({
    batches: z
      .array(
        z
          .object({
            resource: z.object({ attributes: tempoAttributes }).meta({ id: 'TempoTraceResource' }),
            scopeSpans: z
              .array(
                z
                  .object({
                    scope: z.object({ name: z.string() }).meta({ id: 'TempoTraceScope' }),
                    spans: z.array(TempoTraceSpan).optional(),
                  })
                  .meta({ id: 'TempoTraceScopeSpan' }),
              )
              .optional(),
          })
          .meta({ id: 'TempoTraceBatch' }),
      )
      .optional(),
  })
  .meta({ id: 'TempoGetTraceResponse' });

const execution = WorkflowExecutionResponse.shape;

export const WorkflowExecutionTraceOTelResponse = z
  .object({
    ...execution,
    data_source: z.string(),
    otel_trace_id: z.string().nullable().optional(),
    otel_trace_data: TempoGetTraceResponse.nullable().optional(),
  })
  .meta({ id: 'WorkflowExecutionTraceOTelResponse' });
export type WorkflowExecutionTraceOTelResponse = z.output<typeof WorkflowExecutionTraceOTelResponse>;

export const WorkflowExecutionTraceSummaryResponse = z
  .object({ ...execution, span_tree: WorkflowExecutionTraceSummarySpan.nullable().optional() })
  .meta({ id: 'WorkflowExecutionTraceSummaryResponse' });
export type WorkflowExecutionTraceSummaryResponse = z.output<typeof WorkflowExecutionTraceSummaryResponse>;

export const WorkflowExecutionTraceEventsResponse = z
  .object({
    ...execution,
    events: z.array(z.union([WorkflowExecutionProgressTraceEvent, WorkflowExecutionTraceEvent])).optional(),
  })
  .meta({ id: 'WorkflowExecutionTraceEventsResponse' });
export type WorkflowExecutionTraceEventsResponse = z.output<typeof WorkflowExecutionTraceEventsResponse>;

export const TraceEventsQuery = z.strictObject({
  merge_same_id_events: queryBool().default(false),
  include_internal_events: queryBool().default(false),
});
export type TraceEventsQuery = z.output<typeof TraceEventsQuery>;
