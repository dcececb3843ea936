import type { UsageInfo } from '../metering/index.ts';
import type { Completion, CompletionChoice, EngineUsage } from '../models/index.ts';
import type { ChatCompletionResponse } from './schema/responses.ts';

type Head = { id: string; created: number; model: string };

export function renderResponse(
  { choices, usage }: Completion,
  { id, created, model }: Head,
  { prefix, showsThinking }: { prefix: string; showsThinking: boolean },
): ChatCompletionResponse {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    usage: usageInfo(usage),
    choices: choices.map((choice, index) => renderChoice(choice, index, prefix, showsThinking)),
  };
}

function renderChoice(choice: CompletionChoice, index: number, prefix: string, showsThinking: boolean) {
  const { text, thinking, toolCalls, finish, logprobs, promptLogprobs } = choice;
  const rendered: ChatCompletionResponse['choices'][number] = {
    index,
    message: {
      role: 'assistant' as const,
      content: thinking && showsThinking ? withThinking(thinking, prefix + text) : prefix + text,
      tool_calls:
        toolCalls.length === 0
          ? null
          : toolCalls.map((call, position) => ({
              id: call.id,
              type: 'function' as const,
              function: { name: call.name, arguments: call.arguments },
              index: position,
            })),
    },
    finish_reason: finish,
  };
  if (logprobs) rendered.logprobs = { content: logprobs };
  if (promptLogprobs) rendered.prompt_logprobs = { content: promptLogprobs };
  return rendered;
}

function withThinking(thinking: string, text: string) {
  return [
    { type: 'thinking' as const, thinking: [{ type: 'text' as const, text: thinking }] },
    { type: 'text' as const, text },
  ];
}

export function usageInfo({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: EngineUsage): UsageInfo {
  const usage: UsageInfo = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  if (cachedTokens !== undefined) {
    usage.prompt_tokens_details = { cached_tokens: cachedTokens };
    usage.num_cached_tokens = cachedTokens;
  }
  if (reasoningTokens !== undefined) usage.completion_tokens_details = { reasoning_tokens: reasoningTokens };
  return usage;
}
