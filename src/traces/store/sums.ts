import type { SumName } from '../schema/span.ts';

/** What a trace is in sum. Each is evaluated for one root span of `spans`, over the spans `s` of its trace. */
const sums: Record<SumName, string> = {
  span_count: 'count(*)',
  error_count: "sum(case when s.status_code = 'Error' then 1 else 0 end)",
  gen_ai_span_count: "sum(case when s.operation_name <> '' then 1 else 0 end)",
  llm_call_count:
    "sum(case when s.operation_name in ('chat', 'text_completion', 'generate_content') then 1 else 0 end)",
  tool_call_count: "sum(case when s.operation_name = 'execute_tool' then 1 else 0 end)",
  retrieval_count: "sum(case when s.operation_name = 'retrieval' then 1 else 0 end)",
  evaluation_count: "sum(case when s.operation_name = 'evaluate' then 1 else 0 end)",
  input_tokens: 'sum(s.usage_input_tokens)',
  output_tokens: 'sum(s.usage_output_tokens)',
  cache_read_input_tokens: 'sum(s.usage_cache_read_input_tokens)',
  duration_ns: 'max(s.start_us * 1000 + s.duration_ns) - min(s.start_us) * 1000',
  status_code: "case when max(case when s.status_code = 'Error' then 1 else 0 end) = 1 then 'Error' else 'Unset' end",
};

export const sumNames = Object.keys(sums) as SumName[];

/** The sums of numbers are `numeric` on PostgreSQL, which JavaScript would get as text. */
export function sumText(kind: 'sqlite' | 'postgres', name: SumName): string {
  const value = kind === 'postgres' && name !== 'status_code' ? `cast(${sums[name]} as bigint)` : sums[name];
  return `(select ${value} from spans as s where s.workspace_id = spans.workspace_id and s.trace_id = spans.trace_id)`;
}
