import { type Part, readInstructions, readMessages, textOf } from './messages.ts';
import type { Span } from './queries.ts';

type ChatMessage = {
  role: string;
  content: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};
export type NewRecord = {
  payload: { messages: ChatMessage[] };
  properties: Record<string, string>;
  source: 'TELEMETRY_SPAN';
};

type Kept = Pick<
  Span,
  'trace_id' | 'span_id' | 'request_model' | 'input_messages' | 'output_messages' | 'system_instructions'
>;

/** A request as a record: its messages as a chat request has them, the answer last. None if they were not kept. */
export function toRecord(span: Kept): NewRecord | undefined {
  const [asked, answered] = [readMessages(span.input_messages), readMessages(span.output_messages)];
  // Without its beginning a conversation would be another one.
  if (asked.length === 0 || asked.some(({ parts }) => parts.some(({ type }) => type === 'omitted'))) return undefined;
  const instructions = readInstructions(span.system_instructions);
  const messages = [
    ...(instructions === '' ? [] : [{ role: 'system', content: instructions }]),
    ...[...asked, ...answered.slice(0, 1)].flatMap(({ role, parts }) => toMessages(role, parts)),
  ];
  const { trace_id, span_id, request_model: model } = span;
  return { payload: { messages }, properties: { trace_id, span_id, model }, source: 'TELEMETRY_SPAN' };
}

function toMessages(role: string, parts: readonly Part[]): ChatMessage[] {
  const results = parts.filter(({ type }) => type === 'tool_call_response');
  if (results.length > 0)
    return results.map(({ id = '', response }) => ({ role: 'tool', content: toText(response), tool_call_id: id }));
  const calls = parts
    .filter(({ type }) => type === 'tool_call')
    .map(({ id = '', name = '', arguments: given }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: toText(given ?? {}) },
    }));
  return [{ role, content: textOf(parts), ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
