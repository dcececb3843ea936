import type { Clock } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import { ApiError, badRequest } from '../kit/http/index.ts';
import type { ModelService } from '../models/index.ts';
import { type ChatCompletionRequest, type ChatCompletionResponse, UpstreamCompletion } from './schema.ts';

export type ChatService = {
  complete(request: ChatCompletionRequest, signal: AbortSignal): Promise<ChatCompletionResponse>;
};

export function createChatService({ models, now }: { models: ModelService; now: Clock }): ChatService {
  return {
    async complete(request, signal) {
      const model = models.find(request.model);
      if (!model) throw new ApiError(400, `Invalid model: ${request.model}`, { type: 'invalid_model', code: '1500' });
      if (request.stream) throw badRequest('Streaming is not available yet. Send stream: false.');
      const { model: _, random_seed: seed, stream: __, ...rest } = request;
      const given = Object.entries({ ...rest, seed }).filter(([, value]) => value !== undefined && value !== null);
      const answer = UpstreamCompletion.safeParse(await models.complete(model, Object.fromEntries(given), signal));
      if (!answer.success)
        throw new ApiError(502, 'The model server answered in a form we do not know.', { cause: answer.error });
      const { prompt_tokens = 0, completion_tokens = 0 } = answer.data.usage ?? {};
      return {
        id: hexId(),
        object: 'chat.completion',
        created: Math.floor(now() / 1000),
        model: request.model,
        usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
        choices: answer.data.choices.map(({ message, finish_reason }, index) => ({
          index,
          message: { role: 'assistant', content: message.content ?? null, tool_calls: null },
          finish_reason: finish_reason === 'length' ? 'length' : 'stop',
        })),
      };
    },
  };
}
