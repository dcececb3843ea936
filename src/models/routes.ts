import { type AnyRoute, route } from '../kit/http/index.ts';
import { BaseModelCard, ModelList, ModelParams } from './schema.ts';
import type { ModelService } from './service.ts';

export function modelRoutes(models: ModelService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/models',
      operationId: 'list_models_v1_models_get',
      summary: 'The models this platform serves',
      tags: ['models'],
      permission: 'models:read',
      response: ModelList,
      handler: () => ({ object: 'list', data: models.list() }),
    }),
    route({
      method: 'GET',
      path: '/v1/models/:model_id',
      operationId: 'retrieve_model_v1_models__model_id__get',
      summary: 'One model, by its id or an alias',
      tags: ['models'],
      permission: 'models:read',
      params: ModelParams,
      response: BaseModelCard,
      handler: ({ params }) => models.get(params.model_id),
    }),
  ];
}
