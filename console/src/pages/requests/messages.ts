/** Messages as the GenAI conventions of OpenTelemetry write them; clients may send anything. */
export type Part = {
  type: string;
  content?: string;
  name?: string;
  id?: string;
  arguments?: unknown;
  response?: unknown;
};
export type Message = { role: string; parts: Part[] };

export function readMessages(text: string): Message[] {
  const value = parse(text);
  if (!Array.isArray(value)) return text === '' ? [] : [{ role: 'text', parts: [{ type: 'text', content: text }] }];
  return value.map((entry: { role?: unknown; parts?: unknown; content?: unknown }) => ({
    role: typeof entry?.role === 'string' ? entry.role : 'message',
    parts: readParts(entry?.parts ?? entry?.content),
  }));
}

/** System instructions are parts without a role. */
export function readInstructions(text: string): string {
  const value = parse(text);
  return Array.isArray(value) ? textOf(readParts(value)) : text;
}

export const textOf = (parts: readonly Part[]): string =>
  parts.map(({ type, content = '' }) => (type === 'text' ? content : '')).join('');

function readParts(value: unknown): Part[] {
  if (typeof value === 'string') return [{ type: 'text', content: value }];
  if (!Array.isArray(value)) return [];
  return value.map((part: Part | string) => (typeof part === 'string' ? { type: 'text', content: part } : part));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
