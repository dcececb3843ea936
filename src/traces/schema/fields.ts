import type { LogDetails, LogRow } from './log.ts';
import type { Span, SpanDetails, SumName } from './span.ts';

export type FieldType = 'ENUM' | 'TEXT' | 'INT' | 'FLOAT' | 'TIMESTAMP' | 'ARRAY' | 'MAP';

/** Where the value of a field is found. */
export type Place =
  | { column: keyof Span | keyof LogRow }
  | { detail: keyof SpanDetails | keyof LogDetails }
  | { time: 'start_time' | 'end_time' }
  /** What users say of it. */
  | { feedback: 'rating' | 'note' }
  /** Computed from all spans of a trace. */
  | { sum: SumName };

export type Field = {
  name: string;
  label: string;
  type: FieldType;
  group: string;
  /** The OpenTelemetry attribute that it is taken from. */
  attribute: string | null;
  place: Place;
};

const TEXT_OPERATORS = ['eq', 'neq', 'like', 'ilike', 'not_like', 'not_ilike', 'contains', 'not_contains'] as const;
const SET_OPERATORS = ['in', 'not_in', 'exists', 'not_exists'] as const;
const ORDER_OPERATORS = ['lt', 'lte', 'gt', 'gte', 'between', 'not_between'] as const;
const NUMBER_OPERATORS = ['eq', 'neq', ...ORDER_OPERATORS, ...SET_OPERATORS] as const;
/** All that the contract knows; which of them a field has is in its definition. */
export const operators = [
  ...(['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'like', 'ilike', 'not_like', 'not_ilike', 'between'] as const),
  ...(['not_between', 'in', 'not_in', 'exists', 'not_exists', 'regexp', 'not_regexp', 'contains'] as const),
  ...(['not_contains', 'has', 'hasAny', 'hasAll', 'hasToken'] as const),
] as const;
export type Operator = Exclude<(typeof operators)[number], 'regexp' | 'not_regexp' | 'hasAny' | 'hasAll' | 'hasToken'>;

const OPERATORS: Record<FieldType, readonly Operator[]> = {
  ENUM: ['eq', 'neq', ...SET_OPERATORS],
  TEXT: [...TEXT_OPERATORS, ...SET_OPERATORS],
  INT: NUMBER_OPERATORS,
  FLOAT: NUMBER_OPERATORS,
  TIMESTAMP: ['eq', 'neq', ...ORDER_OPERATORS],
  ARRAY: ['has', 'exists', 'not_exists'],
  MAP: [...TEXT_OPERATORS, ...SET_OPERATORS],
};

export const aggregations = [
  'count',
  'count_distinct',
  'sum',
  'avg',
  'min',
  'max',
  'p50',
  'p90',
  'p95',
  'p99',
] as const;
export type Aggregation = (typeof aggregations)[number];

export const operatorsOf = ({ type }: Pick<Field, 'type'>): readonly Operator[] => OPERATORS[type];

export function aggregationsOf({ type }: Pick<Field, 'type'>): readonly Aggregation[] {
  if (type === 'INT' || type === 'FLOAT') return aggregations;
  if (type === 'TIMESTAMP') return ['count', 'min', 'max'];
  return type === 'ENUM' || type === 'TEXT' ? ['count', 'count_distinct'] : ['count'];
}

type Row = [name: string, label: string, type: FieldType, attribute?: string | null, place?: Place];

const IDENTITY: Row[] = [
  ['trace_id', 'Trace', 'TEXT'],
  ['span_id', 'Span', 'TEXT'],
  ['parent_span_id', 'Parent span', 'TEXT'],
  ['user_id', 'User', 'TEXT'],
  ['key_id', 'API key', 'TEXT'],
  ['request_id', 'Request', 'TEXT', 'tramontane.request_id'],
];

const TIMING: Row[] = [
  ['start_time', 'Start', 'TIMESTAMP', null, { time: 'start_time' }],
  ['end_time', 'End', 'TIMESTAMP', null, { time: 'end_time' }],
  ['duration_ns', 'Duration in nanoseconds', 'INT'],
  [
    'time_to_first_token_ns',
    'Time to the first token in nanoseconds',
    'INT',
    'gen_ai.response.time_to_first_chunk',
    { column: 'first_token_ns' },
  ],
];

const OPERATION: Row[] = [
  ['span_name', 'Name', 'TEXT'],
  ['span_kind', 'Kind', 'ENUM'],
  ['service_name', 'Service', 'TEXT', 'service.name'],
  ['status_code', 'Status', 'ENUM'],
  ['status_message', 'Status message', 'TEXT', null, { detail: 'status_message' }],
  ['http_status', 'HTTP status', 'INT', 'http.response.status_code'],
  ['error_type', 'Error', 'TEXT', 'error.type'],
  ['operation_name', 'Operation', 'ENUM', 'gen_ai.operation.name'],
  ['provider_name', 'Provider', 'ENUM', 'gen_ai.provider.name'],
  ['conversation_id', 'Conversation', 'TEXT', 'gen_ai.conversation.id'],
  ['agent_id', 'Agent', 'TEXT', 'gen_ai.agent.id'],
  ['agent_name', 'Name of the agent', 'TEXT', 'gen_ai.agent.name', { detail: 'agent_name' }],
  ['agent_version', 'Version of the agent', 'TEXT', 'gen_ai.agent.version', { detail: 'agent_version' }],
  ['workflow_name', 'Workflow', 'TEXT', 'gen_ai.workflow.name'],
  ['prompt_name', 'Prompt', 'TEXT', 'gen_ai.prompt.name'],
  ['tool_name', 'Tool', 'TEXT', 'gen_ai.tool.name'],
  ['tool_call_id', 'Tool call', 'TEXT', 'gen_ai.tool.call.id', { detail: 'tool_call_id' }],
  ['tool_type', 'Type of the tool', 'TEXT', 'gen_ai.tool.type', { detail: 'tool_type' }],
];

const MODEL: Row[] = [
  ['request_model', 'Model asked for', 'ENUM', 'gen_ai.request.model'],
  ['response_model', 'Model that served', 'ENUM', 'gen_ai.response.model'],
  ['response_id', 'Response', 'TEXT', 'gen_ai.response.id'],
  ['request_max_tokens', 'Max tokens', 'INT', 'gen_ai.request.max_tokens', { detail: 'request_max_tokens' }],
  ['request_temperature', 'Temperature', 'FLOAT', 'gen_ai.request.temperature', { detail: 'request_temperature' }],
  ['request_top_p', 'Top p', 'FLOAT', 'gen_ai.request.top_p', { detail: 'request_top_p' }],
  [
    'response_finish_reasons',
    'Finish reasons',
    'ARRAY',
    'gen_ai.response.finish_reasons',
    { detail: 'response_finish_reasons' },
  ],
];

const USAGE: Row[] = [
  ['usage_input_tokens', 'Input tokens', 'INT', 'gen_ai.usage.input_tokens'],
  ['usage_output_tokens', 'Output tokens', 'INT', 'gen_ai.usage.output_tokens'],
  ['usage_cache_read_input_tokens', 'Cached input tokens', 'INT', 'gen_ai.usage.cache_read.input_tokens'],
  ['cost_micros', 'Cost in millionths', 'INT', 'tramontane.cost_micros'],
];

const FEEDBACK: Row[] = [
  ['feedback_rating', 'Feedback', 'ENUM', null, { feedback: 'rating' }],
  ['feedback_note', 'Note of a user', 'TEXT', null, { feedback: 'note' }],
];

const ATTRIBUTES: Row[] = [
  ['span_attributes', 'Attributes of the span', 'MAP', null, { detail: 'span_attributes' }],
  ['resource_attributes', 'Attributes of the resource', 'MAP', null, { detail: 'resource_attributes' }],
];

export const spanFields: readonly Field[] = [
  ...toFields('Identity', IDENTITY),
  ...toFields('Operation', OPERATION),
  ...toFields('Model', MODEL),
  ...toFields('Usage', USAGE),
  ...toFields('Timing', TIMING),
  ...toFields('Feedback', FEEDBACK),
  ...toFields('Attributes', ATTRIBUTES),
];

export const logFields: readonly Field[] = [
  ...toFields('Identity', [
    ['trace_id', 'Trace', 'TEXT'],
    ['span_id', 'Span', 'TEXT'],
    ['user_id', 'User', 'TEXT'],
  ]),
  ...toFields('Log', [
    ['timestamp', 'Time', 'TIMESTAMP', null, { column: 'time_us' }],
    ['severity_text', 'Severity', 'ENUM'],
    ['severity_number', 'Severity as a number', 'INT'],
    ['service_name', 'Service', 'TEXT', 'service.name'],
    ['body', 'Message', 'TEXT'],
    ['event_name', 'Event', 'TEXT'],
    ['scope_name', 'Scope', 'TEXT', null, { detail: 'scope_name' }],
  ]),
  ...toFields('Attributes', [
    ['log_attributes', 'Attributes of the line', 'MAP', null, { detail: 'log_attributes' }],
    ['resource_attributes', 'Attributes of the resource', 'MAP', null, { detail: 'resource_attributes' }],
    ['scope_attributes', 'Attributes of the scope', 'MAP', null, { detail: 'scope_attributes' }],
  ]),
];

/** Of the first span of a trace, or of all its spans together. */
export const traceFields: readonly Field[] = [
  ...toFields(
    'Identity',
    ['trace_id', 'user_id', 'key_id'].map((name) => IDENTITY.find(([known]) => known === name) as Row),
  ),
  ...toFields('Trace', [
    ['root_span_name', 'Name', 'TEXT', null, { column: 'span_name' }],
    ...OPERATION.filter(([name]) => ['service_name', 'conversation_id', 'agent_id', 'workflow_name'].includes(name)),
    ['agent_name', 'Name of the agent', 'TEXT', 'gen_ai.agent.name', { detail: 'agent_name' }],
    ['status_code', 'Status', 'ENUM', null, { sum: 'status_code' }],
    ['error_count', 'Errors', 'INT', null, { sum: 'error_count' }],
    ['span_count', 'Spans', 'INT', null, { sum: 'span_count' }],
    ['llm_call_count', 'Model calls', 'INT', null, { sum: 'llm_call_count' }],
    ['tool_call_count', 'Tool calls', 'INT', null, { sum: 'tool_call_count' }],
  ]),
  ...toFields('Usage', [
    ['input_tokens', 'Input tokens', 'INT', null, { sum: 'input_tokens' }],
    ['output_tokens', 'Output tokens', 'INT', null, { sum: 'output_tokens' }],
  ]),
  ...toFields('Timing', [
    ['start_time', 'Start', 'TIMESTAMP', null, { time: 'start_time' }],
    ['duration_ns', 'Duration in nanoseconds', 'INT', null, { sum: 'duration_ns' }],
  ]),
];

function toFields(group: string, rows: readonly Row[]): Field[] {
  return rows.map(([name, label, type, attribute = null, place = { column: name as keyof Span & keyof LogRow }]) => ({
    ...{ name, label, type, group },
    attribute,
    place,
  }));
}
