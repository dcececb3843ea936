import type { ChatRequest, Delta, Engine } from '../engine.ts';

export const never = new AbortController().signal;

export function ask(content: string, changes: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: 'user', content }],
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    format: { type: 'text' },
    choices: 1,
    stop: [],
    temperature: 0,
    maxTokens: 24,
    ...changes,
  };
}

export type Read = { text: string; tokens: number; at: number[]; error?: unknown };

/** Reads a stream to its end, whatever the end is, and notes when each arrival came. */
export async function read(
  engine: Engine,
  request: ChatRequest,
  signal: AbortSignal,
  seen?: (deltas: Delta[]) => void,
): Promise<Read> {
  const result: Read = { text: '', tokens: 0, at: [] };
  try {
    for await (const deltas of engine.stream(request, signal)) {
      seen?.(deltas);
      result.at.push(performance.now());
      for (const delta of deltas) {
        if (delta.kind === 'text') result.text += delta.text;
        if (delta.kind === 'usage') result.tokens = delta.usage.completionTokens;
      }
    }
  } catch (error) {
    result.error = error;
  }
  return result;
}
