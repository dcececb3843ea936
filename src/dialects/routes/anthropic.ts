import { type AnyRoute, route, sse } from '../../kit/http/index.ts';
import { anthropicErrorEvent } from '../anthropic/message-writer.ts';
import {
  AnthropicEvent,
  AnthropicMessage,
  AnthropicQuery,
  AnthropicTokensCount,
  MessageCountRequest,
  MessageCreateRequest,
} from '../schema/anthropic.ts';
import type { AnthropicService } from '../service/anthropic.ts';

const common = {
  tags: ['anthropic'],
  permission: 'chat:write',
  largeBody: true,
  alsoAnswers: [404, 502, 504],
  query: AnthropicQuery,
};

export function anthropicRoutes(anthropic: AnthropicService): AnyRoute[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/anthropic/v1/messages',
      operationId: 'anthropic_messages_create',
      summary: 'Reply to messages, whole or as a stream',
      body: MessageCreateRequest,
      response: AnthropicMessage,
      streams: AnthropicEvent,
      handler: (call) =>
        call.body.stream
          ? anthropic.stream(call, call.body).then((events) => sse(events, { toErrorEvent: anthropicErrorEvent }))
          : anthropic.create(call, call.body),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/anthropic/v1/messages/count_tokens',
      operationId: 'anthropic_messages_count_tokens',
      summary: 'Count the tokens of messages',
      body: MessageCountRequest,
      response: AnthropicTokensCount,
      handler: async (call) => ({ input_tokens: await anthropic.countTokens(call, call.body) }),
    }),
  ];
}
