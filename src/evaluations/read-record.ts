export type RecordInput = {
  /** What the system is asked. */
  messages: Record<string, unknown>[];
  /** The answer that the record holds, if its last message is one. */
  recorded: Record<string, unknown> | null;
  /** What a check compares with. */
  expected: string | null;
  properties: Record<string, unknown>;
};

/** A record ends with the question, or with an answer that was given to it. */
export function readRecord({
  payload,
  properties,
}: {
  payload: Record<string, unknown>;
  properties: Record<string, unknown>;
}): RecordInput {
  const all = Array.isArray(payload.messages) ? payload.messages.filter(isObject) : [];
  const last = all.at(-1);
  const recorded = last?.role === 'assistant' ? last : null;
  const expected = properties.expected ?? properties.expected_output ?? recorded?.content ?? null;
  return {
    messages: recorded ? all.slice(0, -1) : all,
    recorded,
    expected: expected === null ? null : textOf(expected),
    properties,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text of a message's content, which may be a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === null || content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part) =>
      isObject(part) && typeof part.text === 'string'
        ? part.text
        : isObject(part) && typeof part.content === 'string'
          ? part.content
          : '',
    )
    .join('');
}
