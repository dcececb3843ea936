import { NO_CONTENT } from './content/to-span-content.ts';
import { aggregationsOf, type Field, operatorsOf } from './schema/fields.ts';
import type { LogDetails, LogRow } from './schema/log.ts';
import type { Span, SpanContent, SpanDetails } from './schema/span.ts';
import type { GetLog, GetSpan, GetTrace, OtelFieldDefinition } from './schema/wire.ts';
import type { TraceRow } from './store/spans.ts';

export function toWireSpan(span: Span, content: SpanContent = NO_CONTENT): GetSpan {
  const details = detailsOf(span);
  return {
    ...identityOf(span),
    span_id: span.span_id,
    parent_span_id: span.parent_span_id,
    trace_state: details.trace_state ?? '',
    ...timesOf(span.start_us, span.duration_ns),
    span_name: span.span_name,
    span_kind: span.span_kind,
    service_name: span.service_name,
    status_code: span.status_code,
    status_message: details.status_message ?? '',
    error_type: span.error_type,
    operation_name: span.operation_name,
    provider_name: span.provider_name,
    request_model: span.request_model,
    response_model: span.response_model,
    response_id: span.response_id,
    output_type: details.output_type ?? '',
    conversation_id: span.conversation_id,
    data_source_id: details.data_source_id ?? '',
    agent_id: span.agent_id,
    agent_name: details.agent_name ?? '',
    agent_version: details.agent_version ?? '',
    agent_description: details.agent_description ?? '',
    workflow_name: span.workflow_name,
    prompt_name: span.prompt_name,
    tool_name: span.tool_name,
    tool_type: details.tool_type ?? '',
    tool_call_id: details.tool_call_id ?? '',
    input_messages: content.input_messages,
    output_messages: content.output_messages,
    system_instructions: content.system_instructions,
    tool_definitions: content.tool_definitions,
    tool_call_arguments: content.tool_call_arguments,
    tool_call_result: content.tool_call_result,
    request_choice_count: details.request_choice_count ?? 0,
    request_max_tokens: details.request_max_tokens ?? 0,
    request_temperature: details.request_temperature ?? null,
    request_top_p: details.request_top_p ?? null,
    request_top_k: details.request_top_k ?? null,
    request_presence_penalty: details.request_presence_penalty ?? null,
    request_frequency_penalty: details.request_frequency_penalty ?? null,
    request_seed: details.request_seed ?? 0,
    request_stop_sequences: details.request_stop_sequences ?? [],
    request_encoding_formats: details.request_encoding_formats ?? [],
    response_finish_reasons: details.response_finish_reasons ?? [],
    usage_input_tokens: span.usage_input_tokens,
    usage_output_tokens: span.usage_output_tokens,
    usage_cache_read_input_tokens: span.usage_cache_read_input_tokens,
    usage_cache_creation_input_tokens: details.usage_cache_creation_input_tokens ?? 0,
    resource_attributes: details.resource_attributes ?? {},
    span_attributes: { ...details.span_attributes, ...ownAttributes(span) },
    scope_name: details.scope_name ?? '',
    scope_version: details.scope_version ?? '',
    service_account_id: '',
  };
}

/** What the shape of the contract has no field for. */
function ownAttributes(span: Span): Record<string, string> {
  const attributes: Record<string, string> = {};
  if (span.key_id) attributes['tramontane.key_id'] = span.key_id;
  if (span.request_id) attributes['tramontane.request_id'] = span.request_id;
  if (span.cost_micros) attributes['tramontane.cost_micros'] = String(span.cost_micros);
  if (span.http_status) attributes['http.response.status_code'] = String(span.http_status);
  if (span.first_token_ns) attributes['gen_ai.response.time_to_first_chunk'] = String(span.first_token_ns / 1e9);
  return attributes;
}

export type TraceNames = { models: string[]; tools: string[] };

export function toWireTrace(row: TraceRow, { models, tools }: TraceNames): GetTrace {
  const details = detailsOf(row);
  return {
    ...identityOf(row),
    root_span_id: row.span_id,
    root_span_name: row.span_name,
    ...timesOf(row.start_us, row.trace_duration_ns),
    service_name: row.service_name,
    environment: details.resource_attributes?.['deployment.environment.name'] ?? '',
    conversation_id: row.conversation_id,
    workflow_name: row.workflow_name,
    agent_id: row.agent_id,
    agent_name: details.agent_name ?? '',
    status_code: row.trace_status_code === 'Error' ? 'Error' : 'Unset',
    error_count: row.trace_error_count,
    span_count: row.trace_span_count,
    gen_ai_span_count: row.trace_gen_ai_span_count,
    llm_call_count: row.trace_llm_call_count,
    tool_call_count: row.trace_tool_call_count,
    retrieval_count: row.trace_retrieval_count,
    evaluation_count: row.trace_evaluation_count,
    input_tokens: row.trace_input_tokens,
    output_tokens: row.trace_output_tokens,
    cache_read_input_tokens: row.trace_cache_read_input_tokens,
    cache_creation_input_tokens: 0,
    models_used: models,
    tools_used: tools,
    first_turn_last_input_message: '',
    first_turn_last_output_message: '',
    last_turn_last_input_message: '',
    last_turn_last_output_message: '',
    service_account_id: '',
  };
}

export function toWireLog(row: LogRow): GetLog {
  const details = detailsOf<LogDetails>(row);
  const { organization_id, workspace_id, user_id, trace_id, span_id } = row;
  const { severity_text, severity_number, service_name, body, event_name } = row;
  return {
    ...{ customer_id: organization_id, organization_id, workspace_id, user_id, trace_id, span_id },
    timestamp: toTime(row.time_us),
    trace_flags: details.trace_flags ?? 0,
    ...{ severity_text, severity_number, service_name, body, event_name },
    resource_schema_url: details.resource_schema_url ?? '',
    resource_attributes: details.resource_attributes ?? {},
    scope_schema_url: details.scope_schema_url ?? '',
    scope_name: details.scope_name ?? '',
    scope_version: details.scope_version ?? '',
    scope_attributes: details.scope_attributes ?? {},
    log_attributes: details.log_attributes ?? {},
    service_account_id: '',
  };
}

export function toDefinition(field: Field): OtelFieldDefinition {
  const { name, label, type, group, attribute } = field;
  return {
    ...{ name, label, type, group },
    supported_operators: [...operatorsOf(field)],
    supported_aggregations: [...aggregationsOf(field)],
    source_attribute_key: attribute,
  };
}

function identityOf({ organization_id, workspace_id, user_id, trace_id }: Span) {
  return { customer_id: organization_id, organization_id, workspace_id, user_id, trace_id };
}

function timesOf(startUs: number, durationNs: number) {
  return {
    start_time: toTime(startUs),
    end_time: toTime(startUs + Math.round(durationNs / 1000)),
    duration_ns: durationNs,
  };
}

/** ISO 8601 with microseconds. */
export function toTime(us: number): string {
  const seconds = new Date(Math.floor(us / 1000)).toISOString().slice(0, -4);
  return `${seconds}${String(us % 1_000_000).padStart(6, '0')}Z`;
}

/** A thread that reads SQLite returns JSON as its text. */
function detailsOf<D extends object = SpanDetails>({ details }: { details: D | null }): D {
  return (typeof details === 'string' ? (JSON.parse(details) as D) : details) ?? ({} as D);
}
