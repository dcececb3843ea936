import { type AnyRoute, route } from '../kit/http/index.ts';
import { objectRoutes } from '../registry/index.ts';
import { PromptModel, PromptParams, promptSchemas } from './schema.ts';
import type { PromptService } from './service.ts';

export function promptRoutes(prompts: PromptService): AnyRoute[] {
  const model = { tags: ['beta.prompts'], path: '/v2/prompts/:prompt_id/model', params: PromptParams };
  return [
    ...objectRoutes(prompts, promptSchemas, {
      noun: 'prompt',
      updates: 'the title, the description or the sharing scope',
      // Its text with every character escaped.
      bodyBytesMax: 8 * 1024 * 1024,
    }),
    route({
      ...model,
      permission: 'prompts:read',
      method: 'GET',
      operationId: 'prompts_get_model',
      summary: 'Read the model behind a prompt that is used as a model. Not part of the published API',
      response: PromptModel,
      handler: ({ scope, params }) => prompts.getModel(scope, params.prompt_id),
    }),
    route({
      ...model,
      permission: 'prompts:write',
      method: 'PUT',
      operationId: 'prompts_set_model',
      summary: 'Set the model behind a prompt that is used as a model; null removes it. Not part of the published API',
      body: PromptModel,
      response: PromptModel,
      handler: ({ scope, params, body }) => prompts.setModel(scope, params.prompt_id, body),
    }),
  ];
}
