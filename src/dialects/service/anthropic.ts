import type { Call } from '../../metering/index.ts';
import { MessageWriter } from '../anthropic/message-writer.ts';
import { renderMessage } from '../anthropic/render-message.ts';
import { showsThinking, toCompletion } from '../anthropic/to-completion.ts';
import type { AnthropicReply, MessageCountRequest, MessageCreateRequest } from '../schema/anthropic.ts';
import { type CompletionPorts, countTokens, withAgent } from './responses.ts';

export type AnthropicService = {
  create(call: Call, body: MessageCreateRequest): Promise<AnthropicReply>;
  stream(call: Call, body: MessageCreateRequest): Promise<AsyncIterable<string>>;
  countTokens(call: Call, body: MessageCountRequest): Promise<number>;
};

/** Anthropic's Messages API over chat completions. */
export function createAnthropicService(ports: CompletionPorts): AnthropicService {
  const { chat } = ports;
  return {
    async create(call, body) {
      const completion = await withAgent(ports, call, toCompletion(body, call));
      return chat.complete(call, completion, (done, head) => renderMessage(done, head, showsThinking(body)));
    },
    async stream(call, body) {
      const completion = await withAgent(ports, call, toCompletion(body, call));
      return chat.stream(call, completion, (head) => new MessageWriter(head, showsThinking(body)));
    },
    countTokens: (call, body) => countTokens(ports, call, toCompletion(body, call)),
  };
}
