import type { ChatRequest, Delta, EngineUsage, FimRequest, Tally } from './engine.ts';

const CHARACTERS_PER_TOKEN = 4;

/** Tokens of a text that nobody counted. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The length of everything the model reads. */
export function countPrompt(request: ChatRequest | FimRequest): number {
  if ('prompt' in request) return request.prompt.length + request.suffix.length;
  let characters = 0;
  for (const message of request.messages) {
    if (typeof message.content === 'string') characters += message.content.length;
    else for (const part of message.content) characters += part.type === 'text' ? part.text.length : 0;
    if (message.role === 'assistant')
      for (const call of message.toolCalls) characters += call.name.length + call.arguments.length;
  }
  for (const tool of request.tools) characters += tool.name.length + tool.description.length;
  return characters;
}

/**
 * Passes the deltas of one attempt on and adds what it used: the engine's figures or, when it ends before them, an
 * estimate. A failure before the first delta is a refusal, unless the reader left.
 */
export async function* tallyDeltas(
  batches: AsyncIterable<Delta[]>,
  request: ChatRequest | FimRequest,
  signal: AbortSignal,
  tally: Tally | undefined,
): AsyncGenerator<Delta[], undefined> {
  let usage: EngineUsage | undefined;
  let characters = 0;
  let isRefused = true;
  // Nothing was started for a reader that has left already.
  signal.throwIfAborted();
  try {
    for await (const batch of batches) {
      isRefused = false;
      for (const delta of batch) {
        if (delta.kind === 'usage') usage = delta.usage;
        else characters += lengthOf(delta);
      }
      yield batch;
    }
  } finally {
    if (!isRefused || signal.aborted) {
      const promptTokens = estimateTokens(countPrompt(request));
      tally?.add(usage ?? { promptTokens, completionTokens: estimateTokens(characters) });
    }
  }
}

function lengthOf(delta: Exclude<Delta, { kind: 'usage' }>): number {
  if (delta.kind === 'tool_call') return delta.call.name.length + delta.call.arguments.length;
  return delta.kind === 'finish' ? 0 : delta.text.length;
}
