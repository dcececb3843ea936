import { type AnyRoute, type RequestContext, route } from '../kit/http/index.ts';
import {
  CreatePromptRequest,
  CreatePromptVersionRequest,
  CreatePromptVersionResponse,
  DeletePromptResponse,
  ListPromptAliasMovesResponse,
  ListPromptsQuery,
  ListPromptsResponse,
  ListPromptVersionsResponse,
  Prompt,
  PromptModel,
  PromptParams,
  PromptQuery,
  PromptVersionParams,
  PromptVersionQuery,
  UpdatePromptRequest,
  UpdatePromptVersionRequest,
} from './schema.ts';
import type { PromptService, WithHeaders } from './service.ts';

export function promptRoutes(prompts: PromptService): AnyRoute[] {
  const read = { tags: ['beta.prompts'], permission: 'prompts:read' };
  const write = { tags: ['beta.prompts'], permission: 'prompts:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v2/prompts',
      operationId: 'prompts_list',
      summary: 'The prompts that this key may see, each at its newest version or at the one an alias names',
      query: ListPromptsQuery,
      response: ListPromptsResponse,
      handler: ({ scope, query }) => prompts.list(scope, query),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v2/prompts',
      operationId: 'prompts_create',
      summary: 'Make a prompt; its definition becomes version 1',
      creates: true,
      body: CreatePromptRequest,
      response: Prompt,
      handler: async (context) => withHeaders(context, await prompts.create(context.scope, context.body)),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/prompts/:prompt_id',
      operationId: 'prompts_get',
      summary: 'One prompt by id or name: its newest version, or the one a number or an alias names',
      params: PromptParams,
      query: PromptQuery,
      response: Prompt,
      handler: ({ scope, params, query }) => prompts.get(scope, params.prompt_id, query),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/v2/prompts/:prompt_id',
      operationId: 'prompts_update',
      summary: 'Change the title, the description or the sharing scope; no version is made',
      params: PromptParams,
      body: UpdatePromptRequest,
      response: Prompt,
      handler: ({ scope, params, body, ifMatch }) => prompts.update(scope, params.prompt_id, body, ifMatch),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v2/prompts/:prompt_id',
      operationId: 'prompts_delete',
      summary: 'Delete a prompt with all its versions',
      params: PromptParams,
      response: DeletePromptResponse,
      handler: ({ scope, params, ifMatch }) => prompts.remove(scope, params.prompt_id, ifMatch),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/prompts/:prompt_id/versions',
      operationId: 'prompts_list_versions',
      summary: 'All versions of a prompt, newest first',
      params: PromptParams,
      response: ListPromptVersionsResponse,
      handler: ({ scope, params }) => prompts.listVersions(scope, params.prompt_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v2/prompts/:prompt_id/versions',
      operationId: 'prompts_create_version',
      summary: 'Make a version; a definition that is there already keeps its number',
      creates: true,
      params: PromptParams,
      body: CreatePromptVersionRequest,
      response: CreatePromptVersionResponse,
      handler: async (context) => {
        const { scope, params, body, ifMatch } = context;
        return withHeaders(context, await prompts.createVersion(scope, params.prompt_id, body, ifMatch));
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/prompts/:prompt_id/versions/:version',
      operationId: 'prompts_get_version',
      summary: 'A prompt at one of its versions',
      params: PromptVersionParams,
      query: PromptVersionQuery,
      response: Prompt,
      handler: ({ scope, params: { prompt_id, version }, query: { fields } }) =>
        prompts.get(scope, prompt_id, { version, fields }),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/v2/prompts/:prompt_id/versions/:version',
      operationId: 'prompts_update_version_metadata',
      summary: 'Change the notes or the aliases of a version; its definition stays',
      params: PromptVersionParams,
      body: UpdatePromptVersionRequest,
      response: Prompt,
      handler: ({ scope, params: { prompt_id, version }, body, ifMatch }) =>
        prompts.updateVersion(scope, prompt_id, version, body, ifMatch),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/prompts/:prompt_id/alias_moves',
      operationId: 'prompts_list_alias_moves',
      summary: 'How the aliases of a prompt moved, newest first; at most 1,000 moves. Not part of the published API',
      params: PromptParams,
      response: ListPromptAliasMovesResponse,
      handler: ({ scope, params }) => prompts.listAliasMoves(scope, params.prompt_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/prompts/:prompt_id/model',
      operationId: 'prompts_get_model',
      summary: 'The model behind a prompt that is used as a model. Not part of the published API',
      params: PromptParams,
      response: PromptModel,
      handler: ({ scope, params }) => prompts.getModel(scope, params.prompt_id),
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/v2/prompts/:prompt_id/model',
      operationId: 'prompts_set_model',
      summary:
        'Set the model behind a prompt that is used as a model; null takes it away. Not part of the published API',
      params: PromptParams,
      body: PromptModel,
      response: PromptModel,
      handler: ({ scope, params, body }) => prompts.setModel(scope, params.prompt_id, body),
    }),
  ];
}

function withHeaders<T>({ setHeader }: Pick<RequestContext, 'setHeader'>, { value, headers }: WithHeaders<T>): T {
  for (const [name, text] of Object.entries(headers)) setHeader(name, text);
  return value;
}
