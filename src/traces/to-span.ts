import { placeSpan, type UsageRecord, type WorkSpan } from '../metering/index.ts';
import type { Span, SpanDetails } from './schema/span.ts';

const NS_PER_MS = 1_000_000;
const NAME_LENGTH_MAX = 256;
const MESSAGE_LENGTH_MAX = 1024;

/** The GenAI conventions of OpenTelemetry have names for these; the others are ours. */
const OPERATIONS: Record<UsageRecord['kind'], string> = {
  chat: 'chat',
  fim: 'text_completion',
  embeddings: 'embeddings',
  moderation: 'moderation',
  classification: 'classification',
  ocr: 'ocr',
  reranking: 'reranking',
  speech: 'text_to_speech',
  transcription: 'transcription',
  connector: 'execute_tool',
};

/** A request that was metered, as a span. Made in batches, away from the request. */
export function toSpan(record: UsageRecord, costMicros: number, priceSource?: string): Span {
  const { scope, usage, trace, status } = record;
  const operation = OPERATIONS[record.kind];
  const isError = status >= 400;
  const isPrompt = record.asked.startsWith('prompt:');
  const place = placeSpan(trace, record.requestId);
  return {
    workspace_id: scope.workspace_id,
    start_us: record.startedAt * 1000,
    span_id: place.spanId,
    trace_id: place.traceId,
    parent_span_id: place.parentId,
    organization_id: scope.organization_id,
    user_id: scope.user_id,
    key_id: scope.key_id,
    is_root: !place.isWithin,
    span_name: `${operation} ${record.model}`,
    span_kind: 'Server',
    service_name: 'tramontane',
    status_code: isError ? 'Error' : 'Unset',
    error_type: isError ? (record.errorCode ?? String(status)) : '',
    http_status: status,
    operation_name: operation,
    provider_name: 'tramontane',
    request_model: record.asked,
    response_model: record.model,
    response_id: record.responseId ?? '',
    request_id: record.requestId,
    conversation_id: trace?.conversationId ?? '',
    agent_id: trace?.agentId ?? '',
    workflow_name: '',
    prompt_name: isPrompt ? record.asked.slice('prompt:'.length) : '',
    tool_name: '',
    duration_ns: Math.round(record.latencyMs * NS_PER_MS),
    first_token_ns: Math.round((record.firstTokenMs ?? 0) * NS_PER_MS),
    usage_input_tokens: toCount(usage.promptTokens),
    usage_output_tokens: toCount(usage.completionTokens),
    usage_cache_read_input_tokens: toCount(usage.cachedTokens ?? 0),
    cost_micros: costMicros,
    details: detailsOf(record, priceSource),
  };
}

function detailsOf({ trace, verdict }: UsageRecord, priceSource: string | undefined): SpanDetails | null {
  if (!trace?.agentName && !verdict && !priceSource) return null;
  return {
    ...(trace?.agentName && { agent_name: trace.agentName, agent_version: String(trace.agentVersion ?? '') }),
    ...((verdict || priceSource) && {
      span_attributes: {
        ...(verdict && { 'tramontane.guardrails': verdict }),
        ...(priceSource && { 'tramontane.price_source': priceSource }),
      },
    }),
  };
}

/** Work of another kind: a turn of a conversation, a tool, a workflow, a batch. */
export function toWorkSpan(work: WorkSpan): Span {
  const { scope, place, agent, tool } = work;
  const isError = work.status >= 400;
  const details: SpanDetails = {
    ...(agent && { agent_name: agent.name, agent_version: String(agent.version) }),
    ...(tool && { tool_type: tool.type, tool_call_id: cut(tool.callId, NAME_LENGTH_MAX) }),
    ...(work.errorMessage && { status_message: cut(work.errorMessage, MESSAGE_LENGTH_MAX) }),
    ...(work.attributes && { span_attributes: work.attributes }),
  };
  return {
    workspace_id: scope.workspace_id,
    start_us: Math.round(work.startedAt * 1000),
    span_id: place.spanId,
    trace_id: place.traceId,
    parent_span_id: place.parentId,
    organization_id: scope.organization_id,
    user_id: scope.user_id,
    key_id: scope.key_id,
    is_root: !place.isWithin,
    span_name: cut(work.name, NAME_LENGTH_MAX),
    span_kind: 'Internal',
    service_name: 'tramontane',
    status_code: isError ? 'Error' : 'Unset',
    error_type: isError ? (work.errorType ?? String(work.status)) : '',
    http_status: 0,
    operation_name: work.operation,
    provider_name: 'tramontane',
    request_model: work.model ?? '',
    response_model: '',
    response_id: '',
    request_id: work.requestId ?? '',
    conversation_id: work.conversationId ?? '',
    agent_id: agent?.id ?? '',
    workflow_name: cut(work.workflowName ?? '', NAME_LENGTH_MAX),
    prompt_name: '',
    tool_name: cut(tool?.name ?? '', NAME_LENGTH_MAX),
    duration_ns: Math.max(0, Math.round((work.endedAt - work.startedAt) * NS_PER_MS)),
    first_token_ns: 0,
    usage_input_tokens: 0,
    usage_output_tokens: 0,
    usage_cache_read_input_tokens: 0,
    cost_micros: 0,
    details: Object.keys(details).length > 0 ? details : null,
  };
}

// PostgreSQL has no NUL in texts, and half of a pair is no character.
function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed().replaceAll('\0', '\ufffd');
}

/** A model server may report any number. */
function toCount(value: number): number {
  return Number.isFinite(value) ? Math.min(1_000_000_000, Math.max(0, Math.round(value))) : 0;
}
