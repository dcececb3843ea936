import type { ChatCompletionRequest } from '../../chat/index.ts';
import type { CountResponseInputTokensRequest, CreateResponseRequest } from '../schema/responses.ts';
import { findFunction, type NamedTools, nameTools } from './name-tools.ts';
import { instructionsFor, toFormat, toMessages } from './to-messages.ts';

export type Translated = { completion: ChatCompletionRequest; named: NamedTools };

const NO_PREDICTION = { type: 'content' as const, content: '' };

/** A stateless response as the chat completion that it is. */
export function toCompletion(body: CreateResponseRequest | CountResponseInputTokensRequest): Translated {
  const named = nameTools(body.tools ?? []);
  const completion: ChatCompletionRequest = {
    model: body.model,
    messages: toMessages(body.input, instructionsFor(body.instructions, body.text?.verbosity)),
    stream: false,
    tool_choice: toToolChoice(body.tool_choice, named),
    prediction: NO_PREDICTION,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    safe_prompt: false,
    anyOrder: true,
  };
  if (named.tools.length > 0) completion.tools = named.tools;
  if (body.text?.format) completion.response_format = toFormat(body.text.format);
  if (body.reasoning?.effort) completion.reasoning_effort = body.reasoning.effort;
  if (!('stream' in body)) return { completion, named };
  if (typeof body.max_output_tokens === 'number') completion.max_tokens = body.max_output_tokens;
  if (typeof body.temperature === 'number') completion.temperature = body.temperature;
  if (typeof body.top_p === 'number') completion.top_p = body.top_p;
  if (body.prompt_cache_key) completion.prompt_cache_key = body.prompt_cache_key;
  if (body.metadata) completion.metadata = promptMetadata(body.model, body.metadata);
  return { completion, named };
}

/** The pairs of `metadata` fill the placeholders of a model that is a prompt. */
export function promptMetadata(model: string, metadata: Record<string, unknown>): Record<string, unknown> {
  return model.startsWith('prompt:') ? { variables: metadata } : metadata;
}

function toToolChoice(
  choice: CreateResponseRequest['tool_choice'],
  named: NamedTools,
): ChatCompletionRequest['tool_choice'] {
  if (choice === null || choice === undefined) return 'auto';
  if (typeof choice === 'string') return choice;
  return { type: 'function', function: { name: findFunction(named, choice.name) } };
}
