import { type AnyRoute, route } from '../../kit/http/index.ts';
import { CONSOLE_ADMINISTER } from '../../tenants/index.ts';
import { ConsoleModels, Pull, PullRequest } from '../schema/models.ts';
import type { ConsoleService } from '../service/console-service.ts';

export function modelRoutes(service: ConsoleService): AnyRoute[] {
  const common = { surface: 'console', permission: 'models:read', hidden: true } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/console/api/models',
      operationId: 'console_models',
      summary: 'The served models and their state, the catalogue of weights, and the downloads',
      response: ConsoleModels,
      handler: ({ scope }) => service.models(scope),
    }),
    route({
      ...common,
      permission: CONSOLE_ADMINISTER,
      method: 'POST',
      path: '/console/api/models/pull',
      operationId: 'console_models_pull',
      summary: 'Start downloading the weights of a catalogue model',
      status: 202,
      body: PullRequest,
      response: Pull,
      handler: ({ body }) => service.pulls.start(body.model),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/console/api/models/pulls/stream',
      operationId: 'console_models_pulls_stream',
      summary: 'Progress of the downloads, until the last one has ended',
      streams: Pull,
      handler: ({ signal }) => service.pulls.follow(signal),
    }),
  ];
}
