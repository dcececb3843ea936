import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';
import { aggregations, operators } from './fields.ts';

const EXPRESSION_LENGTH_MAX = 4096;
const PAGE_SIZE_MAX = 100;
const ROWS_DEFAULT = 1000;
const ROWS_MAX = 10_000;
const DIMENSIONS_MAX = 5;

const Timestamp = z.iso.datetime({ offset: true, local: true }).nullable().optional();
const Expression = z
  .string()
  .max(EXPRESSION_LENGTH_MAX)
  .nullable()
  .optional()
  .describe("Conditions such as `request_model = 'small' AND duration_ns > 5000000000`; see docs/observability.md");

export const TimeRange = z.strictObject({ from: Timestamp, to: Timestamp });
export type TimeRange = z.output<typeof TimeRange>;

export const PageQuery = z.strictObject({
  from: Timestamp,
  to: Timestamp,
  page_size: queryInt().min(0).max(PAGE_SIZE_MAX).default(50),
  cursor: z.string().max(2048).nullable().optional(),
});
export type PageQuery = z.output<typeof PageQuery>;

export const TraceId = z.string().regex(/^[0-9a-f]{32}$/);
export const SpanId = z.string().regex(/^[0-9a-f]{16}$/);
export const TraceParams = z.strictObject({ trace_id: TraceId });
export const SpanParams = z.strictObject({ trace_id: TraceId, span_id: SpanId });
export const FieldParams = z.strictObject({ field_name: z.string().max(200) });

export const SpansRequest = z.strictObject({ search_expression: Expression }).meta({ id: 'SpansRequest' });
export type SpansRequest = z.output<typeof SpansRequest>;
export const TracesRequest = z.strictObject({ search_expression: Expression }).meta({ id: 'TracesRequest' });

export const Granularity = z.enum(['auto', 'second', 'minute', 'hour', 'day', 'week', 'month']);
export type Granularity = z.output<typeof Granularity>;

export const AggregationRequest = z
  .strictObject({
    metric: z
      .strictObject({ measure: z.string().max(200), aggregation: z.enum(aggregations) })
      .meta({ id: 'MetricDefinition' }),
    dimensions: z.array(z.string().max(200)).max(DIMENSIONS_MAX).default([]),
    time_dimension: z
      .strictObject({ granularity: Granularity.default('auto') })
      .meta({ id: 'TimeDimension' })
      .nullable()
      .optional(),
    search_expression: Expression,
    order_by: z
      .array(
        z
          .strictObject({ field: z.string().max(200), direction: z.enum(['asc', 'desc']).default('asc') })
          .meta({ id: 'OrderByClause' }),
      )
      .max(DIMENSIONS_MAX + 2)
      .nullable()
      .optional(),
    limit: z.int().min(1).max(ROWS_MAX).default(ROWS_DEFAULT),
  })
  .meta({ id: 'AggregationRequest' });
export type AggregationRequest = z.output<typeof AggregationRequest>;

export const AggregationResult = z
  .object({
    data: z.array(
      z
        .object({
          metric_name: z.string(),
          time_bucket: z.string().nullable(),
          dimensions: z.record(z.string(), z.unknown()),
          metric_value: z.number().nullable(),
        })
        .meta({ id: 'AggregationRow' }),
    ),
    meta: z
      .object({ from_timestamp: z.string(), to_timestamp: z.string(), granularity_seconds: z.int().nullable() })
      .meta({ id: 'AggregationMeta' }),
  })
  .meta({ id: 'Aggregation' });
export type AggregationResult = z.output<typeof AggregationResult>;

const identity = {
  customer_id: z.string(),
  organization_id: z.string(),
  workspace_id: z.string(),
  user_id: z.string(),
  trace_id: TraceId,
};
const timing = { start_time: z.string(), end_time: z.string(), duration_ns: z.int() };
const number = z.number().nullable();
const texts = z.array(z.string());
const attributes = z.record(z.string(), z.string());

export const GetSpan = z
  .object({
    ...identity,
    span_id: SpanId,
    parent_span_id: z.string(),
    trace_state: z.string(),
    ...timing,
    span_name: z.string(),
    span_kind: z.string(),
    service_name: z.string(),
    status_code: z.enum(['Error', 'Ok', 'Unset']),
    status_message: z.string(),
    error_type: z.string(),
    operation_name: z.string(),
    provider_name: z.string(),
    request_model: z.string(),
    response_model: z.string(),
    response_id: z.string(),
    output_type: z.string(),
    conversation_id: z.string(),
    data_source_id: z.string(),
    agent_id: z.string(),
    agent_name: z.string(),
    agent_version: z.string(),
    agent_description: z.string(),
    workflow_name: z.string(),
    prompt_name: z.string(),
    tool_name: z.string(),
    tool_type: z.string(),
    tool_call_id: z.string(),
    input_messages: z.string(),
    output_messages: z.string(),
    system_instructions: z.string(),
    tool_definitions: z.string(),
    tool_call_arguments: z.string(),
    tool_call_result: z.string(),
    request_choice_count: z.int(),
    request_max_tokens: z.int(),
    request_temperature: number,
    request_top_p: number,
    request_top_k: number,
    request_presence_penalty: number,
    request_frequency_penalty: number,
    request_seed: z.int(),
    request_stop_sequences: texts,
    request_encoding_formats: texts,
    response_finish_reasons: texts,
    usage_input_tokens: z.int(),
    usage_output_tokens: z.int(),
    usage_cache_read_input_tokens: z.int(),
    usage_cache_creation_input_tokens: z.int(),
    resource_attributes: attributes,
    span_attributes: attributes,
    scope_name: z.string(),
    scope_version: z.string(),
    service_account_id: z.string(),
  })
  .meta({ id: 'GetSpan' });
export type GetSpan = z.output<typeof GetSpan>;

export const GetTrace = z
  .object({
    ...identity,
    root_span_id: SpanId,
    root_span_name: z.string(),
    ...timing,
    service_name: z.string(),
    environment: z.string(),
    conversation_id: z.string(),
    workflow_name: z.string(),
    agent_id: z.string(),
    agent_name: z.string(),
    status_code: z.enum(['Error', 'Unset']),
    error_count: z.int(),
    span_count: z.int(),
    gen_ai_span_count: z.int(),
    llm_call_count: z.int(),
    tool_call_count: z.int(),
    retrieval_count: z.int(),
    evaluation_count: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
    models_used: texts,
    tools_used: texts,
    first_turn_last_input_message: z.string(),
    first_turn_last_output_message: z.string(),
    last_turn_last_input_message: z.string(),
    last_turn_last_output_message: z.string(),
    service_account_id: z.string(),
  })
  .meta({ id: 'GetTrace' });
export type GetTrace = z.output<typeof GetTrace>;

const feedOf = <T extends z.ZodType>(id: string, item: T) =>
  z.object({ results: z.array(item), next: z.string().nullable(), cursor: z.string().nullable() }).meta({ id });

export const GetSpans = z.object({ spans: feedOf('FeedResultGetSpan', GetSpan) }).meta({ id: 'GetSpans' });
export const GetTraces = z.object({ traces: feedOf('FeedResultGetTrace', GetTrace) }).meta({ id: 'GetTraces' });
export type Feed<T> = { results: T[]; next: string | null; cursor: string | null };

const OtelFieldDefinition = z
  .object({
    name: z.string(),
    label: z.string(),
    type: z.enum(['ENUM', 'TEXT', 'INT', 'FLOAT', 'BOOL', 'TIMESTAMP', 'ARRAY', 'MAP']),
    supported_operators: z.array(z.enum(operators)),
    supported_aggregations: z.array(z.enum(aggregations)),
    group: z.string().nullable(),
    source_attribute_key: z.string().nullable(),
  })
  .meta({ id: 'OtelFieldDefinition' });
export type OtelFieldDefinition = z.output<typeof OtelFieldDefinition>;

export const GetSpanFields = z
  .object({ field_definitions: z.array(OtelFieldDefinition) })
  .meta({ id: 'GetSpanFields' });
export const GetSpanFieldOptions = z.object({ options: texts.nullable() }).meta({ id: 'GetSpanFieldOptions' });

export const GetLog = z
  .object({
    customer_id: z.string(),
    organization_id: z.string(),
    workspace_id: z.string(),
    user_id: z.string(),
    timestamp: z.string(),
    trace_id: z.string(),
    span_id: z.string(),
    trace_flags: z.int(),
    severity_text: z.string(),
    severity_number: z.int(),
    service_name: z.string(),
    body: z.string(),
    event_name: z.string(),
    resource_schema_url: z.string(),
    resource_attributes: attributes,
    scope_schema_url: z.string(),
    scope_name: z.string(),
    scope_version: z.string(),
    scope_attributes: attributes,
    log_attributes: attributes,
    service_account_id: z.string(),
  })
  .meta({ id: 'GetLog' });
export type GetLog = z.output<typeof GetLog>;

export const LogsRequest = z
  .strictObject({ search_expression: Expression, order: z.enum(['asc', 'desc']).default('desc') })
  .meta({ id: 'LogsRequest' });
export type LogsRequest = z.output<typeof LogsRequest>;
export const GetLogs = z.object({ logs: feedOf('FeedResultGetLog', GetLog) }).meta({ id: 'GetLogs' });
export const GetLogFields = z.object({ field_definitions: z.array(OtelFieldDefinition) }).meta({ id: 'GetLogFields' });
export const GetLogFieldOptions = z.object({ options: texts.nullable() }).meta({ id: 'GetLogFieldOptions' });
