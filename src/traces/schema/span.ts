/** A finished piece of work, as it is stored. Times are in microseconds since the epoch; texts that are unknown are empty. */
export type Span = {
  workspace_id: string;
  start_us: number;
  span_id: string;
  trace_id: string;
  parent_span_id: string;
  organization_id: string;
  user_id: string;
  key_id: string;
  /** No other span of this server is above it. */
  is_root: boolean;
  span_name: string;
  span_kind: SpanKind;
  service_name: string;
  status_code: 'Error' | 'Ok' | 'Unset';
  error_type: string;
  /** 0 where there was no HTTP request. */
  http_status: number;
  operation_name: string;
  provider_name: string;
  request_model: string;
  response_model: string;
  response_id: string;
  request_id: string;
  conversation_id: string;
  agent_id: string;
  workflow_name: string;
  prompt_name: string;
  tool_name: string;
  duration_ns: number;
  first_token_ns: number;
  usage_input_tokens: number;
  usage_output_tokens: number;
  usage_cache_read_input_tokens: number;
  cost_micros: number;
  /** What few spans have. */
  details: SpanDetails | null;
};

export type SpanKind = 'Server' | 'Client' | 'Internal' | 'Producer' | 'Consumer' | 'Unspecified';

export type SpanDetails = {
  status_message?: string;
  trace_state?: string;
  output_type?: string;
  data_source_id?: string;
  agent_name?: string;
  agent_version?: string;
  agent_description?: string;
  tool_type?: string;
  tool_call_id?: string;
  request_choice_count?: number;
  request_max_tokens?: number;
  request_temperature?: number;
  request_top_p?: number;
  request_top_k?: number;
  request_presence_penalty?: number;
  request_frequency_penalty?: number;
  request_seed?: number;
  request_stop_sequences?: string[];
  request_encoding_formats?: string[];
  response_finish_reasons?: string[];
  usage_cache_creation_input_tokens?: number;
  scope_name?: string;
  scope_version?: string;
  resource_attributes?: Record<string, string>;
  span_attributes?: Record<string, string>;
};

/** What was said, which is kept apart and only where a workspace wants it. */
export type SpanContent = {
  input_messages: string;
  output_messages: string;
  system_instructions: string;
  tool_definitions: string;
  tool_call_arguments: string;
  tool_call_result: string;
};

/** What is known of a trace from all its spans together. */
export type SumName =
  | 'span_count'
  | 'error_count'
  | 'gen_ai_span_count'
  | 'llm_call_count'
  | 'tool_call_count'
  | 'retrieval_count'
  | 'evaluation_count'
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_read_input_tokens'
  | 'duration_ns'
  | 'status_code';
