import type { ChatRequest, EngineMessage } from '../engine.ts';

/** The messages with the wish for JSON in words, for servers that have no field for it. */
export function tellFormat({ format, messages }: ChatRequest): EngineMessage[] {
  if (format.type === 'text') return messages;
  const wish =
    format.type === 'json_schema'
      ? `Answer with JSON only, without any other text, valid for this JSON schema: ${JSON.stringify(format.schema)}`
      : 'Answer with one JSON object only, without any other text.';
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${wish}` }, ...rest]
    : [{ role: 'system', content: wish }, ...messages];
}
