import type { CompletionHead } from '../../chat/index.ts';
import type { Completion, EngineToolCall, EngineUsage, FinishReason } from '../../models/index.ts';
import type { AnthropicReply, AnthropicUsage } from '../schema/anthropic.ts';

export function beginMessage({ id, model }: CompletionHead): AnthropicReply {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: toAnthropicUsage({ promptTokens: 0, completionTokens: 0 }),
  };
}

export function renderMessage(
  { choices: [choice], usage }: Completion,
  head: CompletionHead,
  showsThinking: boolean,
): AnthropicReply {
  const message = beginMessage(head);
  message.usage = toAnthropicUsage(usage);
  if (!choice) return message;
  if (choice.thinking && showsThinking)
    message.content.push({ type: 'thinking', thinking: choice.thinking, signature: '' });
  if (choice.text !== '') message.content.push({ type: 'text', text: choice.text });
  for (const call of choice.toolCalls) message.content.push(toToolUse(call));
  message.stop_reason = toStopReason(choice.finish);
  return message;
}

export function toToolUse({ id, name, arguments: given }: EngineToolCall) {
  return {
    type: 'tool_use' as const,
    id: `toolu_${id}`,
    name,
    input: JSON.parse(given) as Record<string, unknown>,
  };
}

export function toStopReason(finish: FinishReason): NonNullable<AnthropicReply['stop_reason']> {
  switch (finish) {
    case 'length':
      return 'max_tokens';
    case 'model_length':
      return 'model_context_window_exceeded';
    case 'tool_calls':
      return 'tool_use';
    default:
      return 'end_turn';
  }
}

export function toAnthropicUsage({ promptTokens, completionTokens, cachedTokens = 0 }: EngineUsage): AnthropicUsage {
  return {
    input_tokens: promptTokens - cachedTokens,
    output_tokens: completionTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
  };
}
