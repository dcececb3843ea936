import { randomBytes } from 'node:crypto';
import type { UsageRecord } from '../metering/index.ts';
import type { Span } from './schema/span.ts';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SPAN_ID_BYTES = 8;
const NS_PER_MS = 1_000_000;

/** The GenAI conventions of OpenTelemetry have names for these; the others are ours. */
const OPERATIONS: Record<UsageRecord['kind'], string> = {
  chat: 'chat',
  fim: 'text_completion',
  embeddings: 'embeddings',
  moderation: 'moderation',
  classification: 'classification',
  ocr: 'ocr',
  speech: 'text_to_speech',
  transcription: 'transcription',
  connector: 'execute_tool',
};

/** A request that was metered, as a span. Made in batches, away from the request. */
export function toSpan(record: UsageRecord, costMicros: number): Span {
  const { scope, usage, trace, status } = record;
  const operation = OPERATIONS[record.kind];
  const isError = status >= 400;
  const isPrompt = record.asked.startsWith('prompt:');
  const { traceId, parentId } = placeOf(record);
  return {
    workspace_id: scope.workspace_id,
    start_us: record.startedAt * 1000,
    span_id: randomBytes(SPAN_ID_BYTES).toString('hex'),
    trace_id: traceId,
    parent_span_id: parentId,
    organization_id: scope.organization_id,
    user_id: scope.user_id,
    key_id: scope.key_id,
    is_root: true,
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
    response_id: '',
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
    details: trace?.agentName ? { agent_name: trace.agentName, agent_version: String(trace.agentVersion ?? '') } : null,
  };
}

/** In the client's trace, if it has one; else the request is a trace, whose id can be told from the request's. */
function placeOf({ trace, requestId }: UsageRecord): { traceId: string; parentId: string } {
  const [, traceId, parentId] = TRACEPARENT.exec(trace?.traceparent ?? '') ?? [];
  if (traceId && parentId) return { traceId, parentId };
  const own = UUID.test(requestId) ? requestId.replaceAll('-', '') : randomBytes(2 * SPAN_ID_BYTES).toString('hex');
  return { traceId: own, parentId: '' };
}

/** A model server may report any number. */
function toCount(value: number): number {
  return Number.isFinite(value) ? Math.min(1_000_000_000, Math.max(0, Math.round(value))) : 0;
}
