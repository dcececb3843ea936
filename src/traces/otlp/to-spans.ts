import type { Scope } from '../../kit/http/index.ts';
import type { Span, SpanContent, SpanDetails, SpanKind } from '../schema/span.ts';
import type { SentSpan } from './read-export.ts';
import type { Attributes, AttributeValue } from './read-message.ts';

const KINDS: SpanKind[] = ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer'];
const STATUS_OK = 1;
const STATUS_ERROR = 2;
const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/;
const NAME_LENGTH_MAX = 256;
const VALUE_LENGTH_MAX = 1024;
const ATTRIBUTES_MAX = 64;
const CONTENT_LENGTH_MAX = 64 * 1024;
const COUNT_MAX = 1_000_000_000;
/** A span is refused beyond it, past or future: it would never be shown, or never be deleted. */
const DAY_US = 24 * 60 * 60 * 1_000_000;

/** Attributes that hold what was said, and the names that other conventions have for them. */
const CONTENTS: Record<keyof SpanContent, string[]> = {
  input_messages: ['gen_ai.input.messages', 'gen_ai.prompt', 'input.value'],
  output_messages: ['gen_ai.output.messages', 'gen_ai.completion', 'output.value'],
  system_instructions: ['gen_ai.system_instructions'],
  tool_definitions: ['gen_ai.tool.definitions'],
  tool_call_arguments: ['gen_ai.tool.call.arguments'],
  tool_call_result: ['gen_ai.tool.call.result'],
};

const NUMBERS = {
  request_choice_count: 'gen_ai.request.choice.count',
  request_max_tokens: 'gen_ai.request.max_tokens',
  request_temperature: 'gen_ai.request.temperature',
  request_top_p: 'gen_ai.request.top_p',
  request_top_k: 'gen_ai.request.top_k',
  request_presence_penalty: 'gen_ai.request.presence_penalty',
  request_frequency_penalty: 'gen_ai.request.frequency_penalty',
  request_seed: 'gen_ai.request.seed',
  usage_cache_creation_input_tokens: 'gen_ai.usage.cache_creation.input_tokens',
} as const;
const TEXTS = {
  output_type: 'gen_ai.output.type',
  data_source_id: 'gen_ai.data_source.id',
  agent_name: 'gen_ai.agent.name',
  agent_version: 'gen_ai.agent.version',
  agent_description: 'gen_ai.agent.description',
  tool_type: 'gen_ai.tool.type',
  tool_call_id: 'gen_ai.tool.call.id',
} as const;
const LISTS = {
  request_stop_sequences: 'gen_ai.request.stop_sequences',
  request_encoding_formats: 'gen_ai.request.encoding_formats',
  response_finish_reasons: 'gen_ai.response.finish_reasons',
} as const;

/** Every attribute that has a field of its own is not repeated among the others. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(CONTENTS).flat(),
  ...Object.values(NUMBERS),
  ...Object.values(TEXTS),
  ...Object.values(LISTS),
  ...['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.system', 'gen_ai.request.model'],
  ...['gen_ai.response.model', 'gen_ai.response.id', 'gen_ai.conversation.id', 'gen_ai.agent.id'],
  ...['gen_ai.workflow.name', 'gen_ai.prompt.name', 'gen_ai.tool.name', 'error.type'],
  ...['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.usage.cache_read.input_tokens'],
]);

export type TakenSpan = { span: Span; content: SpanContent | undefined };

/** A client's span as we store it; undefined where it has no valid ids or time. Its claims about cost are attributes. */
export function toTakenSpan(sent: SentSpan, scope: Scope, nowUs: number, retentionUs: number): TakenSpan | undefined {
  const startUs = Number(sent.startNs / 1000n);
  if (!TRACE_ID.test(sent.traceId) || !SPAN_ID.test(sent.spanId)) return undefined;
  if (startUs < nowUs - retentionUs || startUs > nowUs + DAY_US) return undefined;
  const { attributes, resource } = sent;
  const text = (name: string) => cut(toText(attributes[name] ?? ''), NAME_LENGTH_MAX);
  const count = (name: string) => toCount(attributes[name]);
  const durationNs = sent.endNs > sent.startNs ? Number(sent.endNs - sent.startNs) : 0;
  const span: Span = {
    workspace_id: scope.workspace_id,
    start_us: startUs,
    span_id: sent.spanId,
    trace_id: sent.traceId,
    parent_span_id: SPAN_ID.test(sent.parentSpanId) ? sent.parentSpanId : '',
    organization_id: scope.organization_id,
    user_id: scope.user_id,
    key_id: scope.key_id,
    is_root: !SPAN_ID.test(sent.parentSpanId),
    span_name: cut(sent.name, NAME_LENGTH_MAX),
    span_kind: KINDS[sent.kind] ?? 'Unspecified',
    service_name: cut(toText(resource['service.name'] ?? ''), NAME_LENGTH_MAX),
    status_code: sent.statusCode === STATUS_ERROR ? 'Error' : sent.statusCode === STATUS_OK ? 'Ok' : 'Unset',
    error_type: text('error.type'),
    http_status: count('http.response.status_code'),
    operation_name: text('gen_ai.operation.name'),
    provider_name: text('gen_ai.provider.name') || text('gen_ai.system'),
    request_model: text('gen_ai.request.model'),
    response_model: text('gen_ai.response.model'),
    response_id: text('gen_ai.response.id'),
    request_id: '',
    conversation_id: text('gen_ai.conversation.id'),
    agent_id: text('gen_ai.agent.id'),
    workflow_name: text('gen_ai.workflow.name'),
    prompt_name: text('gen_ai.prompt.name'),
    tool_name: text('gen_ai.tool.name'),
    duration_ns: Math.min(durationNs, DAY_US * 1000),
    first_token_ns: 0,
    usage_input_tokens: count('gen_ai.usage.input_tokens'),
    usage_output_tokens: count('gen_ai.usage.output_tokens'),
    usage_cache_read_input_tokens: count('gen_ai.usage.cache_read.input_tokens'),
    cost_micros: 0,
    details: detailsOf(sent),
  };
  return { span, content: contentOf(attributes) };
}

function detailsOf({
  attributes,
  resource,
  traceState,
  scopeName,
  scopeVersion,
  statusMessage,
}: SentSpan): SpanDetails {
  const details: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(NUMBERS)) {
    const value = Number(attributes[attribute]);
    if (attribute in attributes && Number.isFinite(value)) details[name] = value;
  }
  for (const [name, attribute] of Object.entries(TEXTS)) {
    if (attribute in attributes) details[name] = cut(toText(attributes[attribute] ?? ''), VALUE_LENGTH_MAX);
  }
  for (const [name, attribute] of Object.entries(LISTS)) {
    const value = attributes[attribute];
    if (Array.isArray(value)) details[name] = value.slice(0, 16).map((one) => cut(toText(one), NAME_LENGTH_MAX));
  }
  if (statusMessage) details.status_message = cut(statusMessage, VALUE_LENGTH_MAX);
  if (traceState) details.trace_state = cut(traceState, VALUE_LENGTH_MAX);
  if (scopeName) details.scope_name = cut(scopeName, NAME_LENGTH_MAX);
  if (scopeVersion) details.scope_version = cut(scopeVersion, NAME_LENGTH_MAX);
  details.resource_attributes = toTexts(resource);
  details.span_attributes = toTexts(attributes);
  return details as SpanDetails;
}

export function toTexts(attributes: Attributes, known: ReadonlySet<string> = KNOWN): Record<string, string> {
  const pairs = Object.entries(attributes).filter(([name]) => !known.has(name));
  return Object.fromEntries(
    pairs
      .slice(0, ATTRIBUTES_MAX)
      .map(([name, value]) => [cut(name, NAME_LENGTH_MAX), cut(toText(value), VALUE_LENGTH_MAX)]),
  );
}

function contentOf(attributes: Attributes): SpanContent | undefined {
  const found = Object.entries(CONTENTS).map(([name, names]): [string, string] => {
    const attribute = names.find((one) => one in attributes);
    return [name, attribute ? cut(toText(attributes[attribute] ?? ''), CONTENT_LENGTH_MAX) : ''];
  });
  return found.some(([, text]) => text !== '') ? (Object.fromEntries(found) as SpanContent) : undefined;
}

export function toText(value: AttributeValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// PostgreSQL has no NUL in texts, and half of a pair is no character.
export function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed().replaceAll('\0', '\ufffd');
}

function toCount(value: AttributeValue | undefined): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? Math.min(COUNT_MAX, Math.max(0, Math.round(number))) : 0;
}
