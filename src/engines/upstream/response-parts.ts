import type { EngineUsage, FinishReason } from '../engine.ts';

/** The parts of an OpenAI-compatible response that are read. Servers send anything, hence the `unknown`s. */
export type WireMessage = {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
};
export type WireChoice = {
  index?: unknown;
  delta?: WireMessage | null;
  message?: WireMessage | null;
  text?: unknown;
  finish_reason?: unknown;
};
export type WireResponse = { choices?: unknown; usage?: unknown; error?: unknown };
export type WireToolCall = {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
};

export function toFinish(reason: unknown): FinishReason {
  switch (reason) {
    case 'length':
    case 'model_length':
    case 'error':
      return reason;
    case 'content_filter':
      return 'error';
    default:
      return 'stop';
  }
}

export function toUsage(value: unknown): EngineUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const usage = value as Record<string, unknown>;
  // Neither of the two is no report at all, and what nobody counted is estimated.
  if (!isCount(usage.prompt_tokens) && !isCount(usage.completion_tokens)) return undefined;
  const usageOf: EngineUsage = {
    promptTokens: count(usage.prompt_tokens),
    completionTokens: count(usage.completion_tokens),
  };
  const cached = detail(usage.prompt_tokens_details, 'cached_tokens') ?? usage.num_cached_tokens;
  const reasoning = detail(usage.completion_tokens_details, 'reasoning_tokens');
  if (typeof cached === 'number') usageOf.cachedTokens = count(cached);
  if (typeof reasoning === 'number') usageOf.reasoningTokens = count(reasoning);
  return usageOf;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function count(value: unknown): number {
  return isCount(value) ? value : 0;
}

function detail(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Arguments are JSON text; some servers send the object itself. */
export function toArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Calls `emit` for each piece of a content, which is a text or, on Mistral servers, a list of chunks. */
export function eachPiece(content: unknown, emit: (kind: 'text' | 'thinking', text: string) => void): void {
  if (typeof content === 'string') {
    if (content !== '') emit('text', content);
    return;
  }
  if (!Array.isArray(content)) return;
  for (const chunk of content as { type?: unknown; text?: unknown; thinking?: unknown }[]) {
    if (chunk?.type === 'text' && typeof chunk.text === 'string') emit('text', chunk.text);
    if (chunk?.type !== 'thinking' || !Array.isArray(chunk.thinking)) continue;
    for (const thought of chunk.thinking as { text?: unknown }[])
      if (typeof thought?.text === 'string') emit('thinking', thought.text);
  }
}

export { estimateTokens } from '../tally-deltas.ts';
