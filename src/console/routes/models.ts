import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_ADMINISTER } from '../../tenants/index.ts';
import { ConsoleModels, Pull, PullRequest } from '../schema/models.ts';
import type { ConsoleService } from '../service.ts';

export function modelRoutes(service: ConsoleService): AnyRoute[] {
  const common = { surface: 'console', permission: 'models:read', hidden: true } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/console/api/models',
      operationId: 'console_models',
      summary: 'The models that are served and how they are, what could be fetched, and what is being fetched',
      response: ConsoleModels,
      handler: ({ scope }) => service.models(scope),
    }),
    route({
      ...common,
      permission: CONSOLE_ADMINISTER,
      method: 'POST',
      path: '/console/api/models/pull',
      operationId: 'console_models_pull',
      summary: 'Begin to fetch the weights of a model of the catalogue',
      status: 202,
      body: PullRequest,
      response: Pull,
      handler: ({ body }) => service.pulls.begin(body.model),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/console/api/models/pulls/stream',
      operationId: 'console_models_pulls_stream',
      summary: 'How far the fetching is, until the last has ended',
      streams: Pull,
      handler: ({ signal }) => service.pulls.follow(signal),
    }),
  ];
}
