import { type AnyRoute, route, sse } from '../../kit/http/index.ts';
import { OpenAiDeleted } from '../schema/openai.ts';
import {
  InputItemsQuery,
  OpenAiCountRequest,
  OpenAiItemList,
  OpenAiResponse,
  OpenAiResponseFrame,
  OpenAiResponseParams,
  OpenAiResponseQuery,
  OpenAiResponseRequest,
} from '../schema/openai-responses.ts';
import { CountResponseInputTokensResponse } from '../schema/responses.ts';
import type { OpenAiResponseService, ResponseReply } from '../service/openai-responses.ts';
import { toErrorEvent } from './responses.ts';

const tags = ['openai'];
const read = { tags, permission: 'conversations:read', params: OpenAiResponseParams };
const write = { tags, permission: 'conversations:write' };

export function openAiResponseRoutes(responses: OpenAiResponseService): AnyRoute[] {
  return [
    route({
      ...write,
      method: 'POST',
      path: '/openai/v1/responses',
      operationId: 'openai_responses_create',
      summary: 'Create a response, whole, as a stream or in the background; it is kept unless store is false',
      largeBody: true,
      stores: true,
      body: OpenAiResponseRequest,
      response: OpenAiResponse,
      streams: OpenAiResponseFrame,
      alsoAnswers: [404, 502, 504],
      handler: (call) => responses.create(call, call.body).then(render),
    }),
    route({
      tags,
      permission: 'chat:write',
      method: 'POST',
      path: '/openai/v1/responses/input_tokens',
      operationId: 'openai_responses_input_tokens',
      summary: 'Count the tokens that a response would read',
      largeBody: true,
      body: OpenAiCountRequest,
      response: CountResponseInputTokensResponse,
      alsoAnswers: [404, 502, 504],
      handler: async (call) => ({
        object: 'response.input_tokens' as const,
        input_tokens: await responses.countTokens(call, call.body),
      }),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/openai/v1/responses/:response_id',
      operationId: 'openai_responses_get',
      summary: 'Read a stored response, or follow its events',
      query: OpenAiResponseQuery,
      response: OpenAiResponse,
      streams: OpenAiResponseFrame,
      handler: (call) => responses.get(call, call.params.response_id, call.query).then(render),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/openai/v1/responses/:response_id',
      operationId: 'openai_responses_delete',
      summary: 'Delete a stored response; one that goes on is ended',
      params: OpenAiResponseParams,
      response: OpenAiDeleted,
      handler: ({ scope, params }) => responses.remove(scope, params.response_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/openai/v1/responses/:response_id/cancel',
      operationId: 'openai_responses_cancel',
      summary: 'Cancel a response that goes on in the background',
      params: OpenAiResponseParams,
      response: OpenAiResponse,
      handler: ({ scope, params }) => responses.cancel(scope, params.response_id) as Promise<never>,
    }),
    route({
      ...read,
      method: 'GET',
      path: '/openai/v1/responses/:response_id/input_items',
      operationId: 'openai_responses_input_items',
      summary: 'List what a stored response was sent',
      query: InputItemsQuery,
      response: OpenAiItemList,
      handler: ({ scope, params, query }) => responses.inputItems(scope, params.response_id, query),
    }),
  ];
}

const render = (reply: ResponseReply) =>
  'events' in reply ? sse(reply.events, { toErrorEvent }) : (reply.body as never);
