import type { Span } from './schema/span.ts';

export const workspace_id = '0198c0de-0000-7000-8000-000000000001';

/** A chat at a time; its ids are made of the time. */
export function spanAt(ms: number, more: Partial<Span> = {}): Span {
  const id = `${ms}`.padStart(16, '0').slice(-16);
  return {
    ...{ workspace_id, start_us: ms * 1000, span_id: id, trace_id: id.repeat(2), parent_span_id: '' },
    ...{ organization_id: 'o', user_id: 'u', key_id: 'k', is_root: true, span_name: 'chat', span_kind: 'Server' },
    ...{ service_name: 'x', status_code: 'Unset', error_type: '', http_status: 200, operation_name: 'chat' },
    ...{ provider_name: '', request_model: 'small', response_model: 'small', response_id: '', request_id: id },
    ...{ conversation_id: '', agent_id: '', workflow_name: '', prompt_name: '', tool_name: '', duration_ns: 1 },
    ...{ first_token_ns: 0, usage_input_tokens: 1, usage_output_tokens: 1, usage_cache_read_input_tokens: 0 },
    ...{ cost_micros: 0, details: null },
    ...more,
  };
}
