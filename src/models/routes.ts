import { type AnyRoute, route } from '../kit/http/index.ts';
import {
  ArchiveModelResponse,
  DeleteModelResponse,
  FineTunedModel,
  ModelCard,
  ModelList,
  ModelParams,
  ModelsQuery,
  UnarchiveModelResponse,
  UpdateModelRequest,
} from './schema.ts';
import type { ModelService } from './service.ts';

export function modelRoutes(models: ModelService): AnyRoute[] {
  const read = { tags: ['models'], permission: 'models:read' };
  const tune = { tags: ['models'], permission: 'models:write', params: ModelParams };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/models',
      operationId: 'list_models_v1_models_get',
      summary: 'The models this key may use; `provider` and `model` narrow the list',
      query: ModelsQuery,
      response: ModelList,
      handler: ({ scope, query }) => ({ object: 'list', data: models.list(scope, query) }),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/models/:model_id',
      operationId: 'retrieve_model_v1_models__model_id__get',
      summary: 'One model, by its id or an alias',
      params: ModelParams,
      response: ModelCard,
      handler: ({ scope, params }) => models.get(scope, params.model_id),
    }),
    route({
      ...tune,
      method: 'DELETE',
      path: '/v1/models/:model_id',
      operationId: 'delete_model_v1_models__model_id__delete',
      summary: 'Delete a fine-tuned model',
      response: DeleteModelResponse,
      handler: ({ scope, params }) => models.remove(scope, params.model_id),
    }),
    route({
      ...tune,
      method: 'PATCH',
      path: '/v1/fine_tuning/models/:model_id',
      operationId: 'jobs_api_routes_fine_tuning_update_fine_tuned_model',
      summary: 'Change the name or the description of a fine-tuned model',
      body: UpdateModelRequest,
      response: FineTunedModel,
      handler: ({ scope, params, body }) => models.update(scope, params.model_id, body),
    }),
    route({
      ...tune,
      method: 'POST',
      path: '/v1/fine_tuning/models/:model_id/archive',
      operationId: 'jobs_api_routes_fine_tuning_archive_fine_tuned_model',
      summary: 'Archive a fine-tuned model',
      response: ArchiveModelResponse,
      handler: ({ scope, params }) => models.setArchived(scope, params.model_id, true),
    }),
    route({
      ...tune,
      method: 'DELETE',
      path: '/v1/fine_tuning/models/:model_id/archive',
      operationId: 'jobs_api_routes_fine_tuning_unarchive_fine_tuned_model',
      summary: 'Unarchive a fine-tuned model',
      response: UnarchiveModelResponse,
      handler: ({ scope, params }) => models.setArchived(scope, params.model_id, false),
    }),
  ];
}
