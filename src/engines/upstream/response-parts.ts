import type { EngineUsage, FinishReason } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { estimateTokens } from '../tally-deltas.ts';
import { TOKENS_MAX } from './limits.ts';

const BYTES_PER_CHARACTER_MAX = 3;
/** What a server may put in front of the texts itself. */
const TOKENS_AROUND_TEXTS = 64 * 1024;

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
  logprobs?: unknown;
  prompt_logprobs?: unknown;
};
export type WireResponse = {
  choices?: unknown;
  usage?: unknown;
  error?: unknown;
  prompt_logprobs?: unknown;
  prompt_token_ids?: unknown;
};
export type WireToolCall = {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
} | null;

export function toFinish(reason: string): FinishReason {
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

/** What a server counted. What it left out, or what cannot be, is missing here and estimated. */
export type ReportedUsage = Partial<EngineUsage>;

export function toUsage(value: unknown): ReportedUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const usage = value as Record<string, unknown>;
  // Neither of the two is no report at all, and what nobody counted is estimated.
  if (!isCount(usage.prompt_tokens) && !isCount(usage.completion_tokens)) return undefined;
  const reported: ReportedUsage = {};
  const cached = detail(usage.prompt_tokens_details, 'cached_tokens') ?? usage.num_cached_tokens;
  const reasoning = detail(usage.completion_tokens_details, 'reasoning_tokens');
  if (isCount(usage.prompt_tokens)) reported.promptTokens = usage.prompt_tokens;
  if (isCount(usage.completion_tokens)) reported.completionTokens = usage.completion_tokens;
  if (isCount(cached)) reported.cachedTokens = cached;
  if (isCount(reasoning)) reported.reasoningTokens = reasoning;
  return reported;
}

/** For the ledger: never negative, never a fraction, never more than a model can read or write. */
function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= TOKENS_MAX;
}

/** The count of texts that were read: at most one token for each byte, and what stands around them. */
export function countOf(usage: unknown, texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const reported = toUsage(usage)?.promptTokens;
  const most = characters * BYTES_PER_CHARACTER_MAX + TOKENS_AROUND_TEXTS;
  return reported === undefined || reported > most ? estimateTokens(characters) : reported;
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
  if (content === undefined || content === null) return;
  if (!Array.isArray(content)) throw engineErrors.upstream_invalid_response();
  for (const chunk of content as ({ type?: unknown; text?: unknown; thinking?: unknown } | null)[]) {
    if (typeof chunk !== 'object' || chunk === null) throw engineErrors.upstream_invalid_response();
    if (chunk.type === 'text') {
      if (typeof chunk.text !== 'string') throw engineErrors.upstream_invalid_response();
      emit('text', chunk.text);
    }
    // Chunks of other types, such as references, have nothing that is passed on.
    if (chunk.type !== 'thinking' || !Array.isArray(chunk.thinking)) continue;
    for (const thought of chunk.thinking as ({ text?: unknown } | null)[])
      if (typeof thought?.text === 'string') emit('thinking', thought.text);
  }
}

export { estimateTokens };
