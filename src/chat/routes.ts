import { type AnyRoute, route } from '../kit/http/index.ts';
import { ChatCompletionRequest, ChatCompletionResponse } from './schema.ts';
import type { ChatService } from './service.ts';

export function chatRoutes(chat: ChatService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/chat/completions',
      operationId: 'chat_completion_v1_chat_completions_post',
      summary: 'Complete a chat',
      tags: ['chat'],
      permission: 'chat:write',
      body: ChatCompletionRequest,
      response: ChatCompletionResponse,
      handler: ({ body, signal }) => chat.complete(body, signal),
    }),
  ];
}
