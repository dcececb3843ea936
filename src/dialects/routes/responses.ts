import { GuardrailRefusal } from '../../chat/index.ts';
import { type AnyRoute, type ApiError, route, sse } from '../../kit/http/index.ts';
import {
  CountResponseInputTokensRequest,
  CountResponseInputTokensResponse,
  CreateResponseRequest,
  CreateResponseResponse,
  ResponsesStreamFrame,
} from '../schema/responses.ts';
import type { ResponseService } from '../service/responses.ts';

const common = { tags: ['responses'], permission: 'chat:write', largeBody: true };

export function responseRoutes(responses: ResponseService): AnyRoute[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/responses',
      operationId: 'create_response_v1_responses_post',
      summary: 'Create a response, whole or as a stream; nothing is kept',
      body: CreateResponseRequest,
      response: CreateResponseResponse,
      streams: ResponsesStreamFrame,
      alsoAnswers: [502, 504, [403, GuardrailRefusal]],
      handler: (call) =>
        call.body.stream
          ? responses.stream(call, call.body).then((events) => sse(events, { toErrorEvent }))
          : (responses.create(call, call.body) as Promise<never>),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/responses/input_tokens',
      operationId: 'count_response_input_tokens_v1_responses_input_tokens_post',
      summary: 'Count the tokens that a response would read',
      body: CountResponseInputTokensRequest,
      response: CountResponseInputTokensResponse,
      alsoAnswers: [502, 504],
      handler: async (call) => ({
        object: 'response.input_tokens' as const,
        input_tokens: await responses.countTokens(call, call.body),
      }),
    }),
  ];
}

/** The last event of a stream whose caller lost its access. */
export function toErrorEvent({ message, wireCode }: ApiError) {
  return { event: 'error', data: { type: 'error', sequence_number: 0, message, code: wireCode, param: null } };
}
