import type { CompletionHead, Shown } from '../../chat/index.ts';
import type {
  Completion,
  CompletionChoice,
  EngineToolCall,
  EngineUsage,
  FinishReason,
  Logprobs,
} from '../../models/index.ts';
import type { OpenAiChatCompletion, OpenAiUsage } from '../schema/openai-chat.ts';

export function renderCompletion(
  { choices, usage }: Completion,
  { id, created, model }: CompletionHead,
  shown: Shown,
): OpenAiChatCompletion {
  const completion: OpenAiChatCompletion = {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created,
    model,
    choices: choices.map((choice, index) => renderChoice(choice, index, shown)),
    usage: toOpenAiUsage(usage),
    service_tier: 'default',
    system_fingerprint: null,
  };
  if (shown.guardrails) completion.guardrails = shown.guardrails as Record<string, unknown>[];
  return completion;
}

function renderChoice(choice: CompletionChoice, index: number, { prefix, showsThinking }: Shown) {
  const { text, thinking, toolCalls, finish, logprobs } = choice;
  const message: OpenAiChatCompletion['choices'][number]['message'] = {
    role: 'assistant',
    content: toolCalls.length > 0 && text === '' ? null : prefix + text,
    refusal: null,
    annotations: [],
  };
  if (thinking && showsThinking) message.reasoning_content = thinking;
  if (toolCalls.length > 0) message.tool_calls = toolCalls.map(toOpenAiCall);
  return { index, message, logprobs: toOpenAiLogprobs(logprobs), finish_reason: toReason(finish) };
}

export function toOpenAiCall({ id, name, arguments: given }: EngineToolCall) {
  return { id: `call_${id}`, type: 'function', function: { name, arguments: given } };
}

export function toOpenAiLogprobs(logprobs: Logprobs['logprobs']) {
  return logprobs ? { content: logprobs.map(withoutId), refusal: null } : null;
}

function withoutId({ token, logprob, bytes, top_logprobs = [] }: NonNullable<Logprobs['logprobs']>[number]) {
  const tops = top_logprobs.map((top) => ({ token: top.token, logprob: top.logprob, bytes: top.bytes }));
  return { token, logprob, bytes, top_logprobs: tops };
}

export function toReason(finish: FinishReason): 'stop' | 'length' | 'tool_calls' {
  if (finish === 'model_length' || finish === 'length') return 'length';
  return finish === 'tool_calls' ? 'tool_calls' : 'stop';
}

export function toOpenAiUsage(usage: EngineUsage): OpenAiUsage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
