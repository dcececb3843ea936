import { GuardrailRefusal, ModerationResponse } from '../guardrails/index.ts';
import { type AnyRoute, route, sse } from '../kit/http/index.ts';
import { errorEvent } from './relay/relay-stream.ts';
import { ChatModerationRequest } from './schema/moderations.ts';
import { ChatCompletionRequest, FIMCompletionRequest } from './schema/requests.ts';
import { ChatCompletionResponse, CompletionEvent, FIMCompletionResponse } from './schema/responses.ts';
import type { ChatService } from './service.ts';

export function chatRoutes(chat: ChatService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/chat/completions',
      operationId: 'chat_completion_v1_chat_completions_post',
      summary: 'Complete a chat, whole or as a stream',
      tags: ['chat'],
      permission: 'chat:write',
      body: ChatCompletionRequest,
      largeBody: true,
      response: ChatCompletionResponse,
      streams: CompletionEvent,
      alsoAnswers: [502, 504, [403, GuardrailRefusal]],
      handler: (call) =>
        call.body.stream ? chat.stream(call, call.body).then(toStream) : chat.complete(call, call.body),
    }),
    route({
      method: 'POST',
      path: '/v1/fim/completions',
      operationId: 'fim_completion_v1_fim_completions_post',
      summary: 'Fill in the middle between a prompt and a suffix, whole or as a stream',
      tags: ['fim'],
      permission: 'chat:write',
      body: FIMCompletionRequest,
      largeBody: true,
      response: FIMCompletionResponse,
      streams: CompletionEvent,
      alsoAnswers: [502, 504],
      handler: (call) =>
        call.body.stream ? chat.streamFim(call, call.body).then(toStream) : chat.completeFim(call, call.body),
    }),
    route({
      method: 'POST',
      path: '/v1/chat/moderations',
      operationId: 'chat_moderations_v1_chat_moderations_post',
      summary: 'Classify the last message of one or several conversations by the categories of moderation',
      tags: ['classifiers'],
      permission: 'moderation:write',
      body: ChatModerationRequest,
      largeBody: true,
      response: ModerationResponse,
      alsoAnswers: [502, 504],
      handler: (call) => chat.moderate(call, call.body),
    }),
  ];
}

const toStream = (events: AsyncIterable<string>) => sse(events, { toErrorEvent: errorEvent });
