import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  AggregationRequest,
  AggregationResult,
  FieldParams,
  GetSpan,
  GetSpanFieldOptions,
  GetSpanFields,
  GetSpans,
  GetTrace,
  GetTraces,
  PageQuery,
  SpanParams,
  SpansRequest,
  TimeRange,
  TraceParams,
  TracesRequest,
} from '../schema/wire.ts';
import type { Subject, TraceService } from '../service/trace-service.ts';

export function spanRoutes(traces: TraceService): AnyRoute[] {
  const read = { tags: ['observability'], permission: 'observability:read' };
  return [
    route({
      ...read,
      method: 'POST',
      path: '/v1/observability/spans/search',
      operationId: 'search_spans_v1_observability_spans_search_post',
      summary: 'Search spans, newest first',
      query: PageQuery,
      body: SpansRequest,
      response: GetSpans,
      handler: async (call) => ({ spans: await traces.searchSpans(call, call.query, call.body) }),
    }),
    route({
      ...read,
      method: 'POST',
      path: '/v1/observability/traces/search',
      operationId: 'search_traces_v1_observability_traces_search_post',
      summary: 'Search traces, newest first',
      query: PageQuery,
      body: TracesRequest,
      response: GetTraces,
      handler: async (call) => ({ traces: await traces.searchTraces(call, call.query, call.body) }),
    }),
    ...fieldRoutes(traces, 'spans'),
    ...fieldRoutes(traces, 'traces'),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/traces/:trace_id',
      operationId: 'get_trace_by_id_v1_observability_traces__trace_id__get',
      summary: 'Read a trace',
      params: TraceParams,
      response: GetTrace,
      handler: ({ scope, params }) => traces.getTrace(scope, params.trace_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/traces/:trace_id/spans',
      operationId: 'get_trace_spans_v1_observability_traces__trace_id__spans_get',
      summary: 'List the spans of a trace, oldest first',
      params: TraceParams,
      query: PageQuery,
      response: GetSpans,
      handler: async ({ scope, params, query }) => ({
        spans: await traces.listTraceSpans(scope, params.trace_id, query),
      }),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/traces/:trace_id/spans/:span_id',
      operationId: 'get_span_by_id_v1_observability_traces__trace_id__spans__span_id__get',
      summary: 'Read a span',
      params: SpanParams,
      query: TimeRange,
      response: GetSpan,
      handler: ({ scope, params }) => traces.getSpan(scope, params.trace_id, params.span_id),
    }),
  ];
}

function fieldRoutes(traces: TraceService, subject: Subject): AnyRoute[] {
  const read = { tags: ['observability'], permission: 'observability:read' };
  const one = subject === 'spans' ? 'span' : 'trace';
  return [
    route({
      ...read,
      method: 'POST',
      path: `/v1/observability/${subject}/aggregate`,
      operationId: `aggregate_${subject}_v1_observability_${subject}_aggregate_post`,
      summary: `Count, sum or average ${subject}, by fields and over time`,
      query: TimeRange,
      body: AggregationRequest,
      response: AggregationResult,
      handler: (call) => traces.aggregate(call, subject, call.query, call.body),
    }),
    route({
      ...read,
      method: 'GET',
      path: `/v1/observability/${subject}/fields`,
      operationId: `get_${one}_fields_v1_observability_${subject}_fields_get`,
      summary: `List the fields of ${subject} that can be searched`,
      response: GetSpanFields,
      handler: () => ({ field_definitions: traces.listFields(subject) }),
    }),
    route({
      ...read,
      method: 'GET',
      path: `/v1/observability/${subject}/fields/:field_name/options`,
      operationId: `get_${one}_field_options_v1_observability_${subject}_fields__field_name__options_get`,
      summary: `List the values that a field of ${subject} has, most frequent first`,
      params: FieldParams,
      query: TimeRange,
      response: GetSpanFieldOptions,
      handler: async (call) => ({
        options: await traces.listOptions(call, subject, call.params.field_name, call.query),
      }),
    }),
  ];
}
