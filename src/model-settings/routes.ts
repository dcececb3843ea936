import { type AnyRoute, route } from '../kit/http/index.ts';
import {
  ConnectionReport,
  ConnectionTest,
  DeletedModelSettings,
  ManagedModel,
  ManagedModels,
  ModelSettings,
  ModelSettingsParams,
  Presets,
} from './schema.ts';
import type { ModelSettingsService } from './service.ts';

const MODELS = '/v1/admin/models';

/** Of this server: the published API has no models that an admin adds. */
export function modelSettingsRoutes(room: ModelSettingsService): AnyRoute[] {
  const common = { tags: ['models of the operator (of this server)'], permission: 'admin', surface: 'admin' as const };
  return [
    route({
      ...common,
      method: 'GET',
      path: MODELS,
      operationId: 'list_managed_models',
      summary: 'List the models of the file, of the database and of the program, with their settings',
      response: ManagedModels,
      handler: ({ scope }) => room.list(scope),
    }),
    route({
      ...common,
      method: 'POST',
      path: MODELS,
      operationId: 'create_managed_model',
      summary: 'Add a model: a model server, or weights that this server runs; it is served at once',
      creates: true,
      status: 201,
      body: ModelSettings,
      response: ManagedModel,
      alsoAnswers: [409, 503],
      handler: ({ scope, body }) => room.create(scope, body),
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${MODELS}/:model_id`,
      operationId: 'replace_managed_model',
      summary: 'Change a model of the database; keys that are left out stay',
      params: ModelSettingsParams,
      body: ModelSettings,
      response: ManagedModel,
      alsoAnswers: [404, 409, 503],
      handler: ({ scope, params, body }) => room.replace(scope, params.model_id, body),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${MODELS}/:model_id`,
      operationId: 'delete_managed_model',
      summary: 'Remove a model of the database',
      params: ModelSettingsParams,
      response: DeletedModelSettings,
      handler: ({ scope, params }) => room.remove(scope, params.model_id),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/admin/model-servers/test',
      operationId: 'test_model_server',
      summary: 'Ask a model server for its list of models',
      body: ConnectionTest,
      response: ConnectionReport,
      alsoAnswers: [404],
      handler: ({ scope, body, signal }) => room.test(scope, body, signal),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/admin/model-servers/presets',
      operationId: 'list_model_server_presets',
      summary: 'List kinds of model servers with their usual addresses',
      response: Presets,
      handler: ({ scope }) => room.presets(scope),
    }),
  ];
}
