import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  ListedPlaygroundSession,
  ListedPlaygroundSessions,
  NewPlaygroundSession,
  PlaygroundPrices,
  PlaygroundSession,
  PlaygroundSessionChange,
  SessionParams,
  SessionsQuery,
} from '../schema/playground.ts';
import type { ConsoleService } from '../service/console-service.ts';

/** With pictures, which are kept as they are sent. */
const SESSION_BYTES_MAX = 4 * 1024 * 1024;

export function playgroundRoutes(service: ConsoleService): AnyRoute[] {
  const common = { surface: 'console', permission: 'chat:write', hidden: true } as const;
  const path = '/console/api/playground/sessions';
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operationId: 'console_playground_sessions_list',
      summary: 'Your sessions of the playground and those that others share, the newest first',
      query: SessionsQuery,
      response: ListedPlaygroundSessions,
      handler: ({ scope, query }) => service.playground.list(scope, query.search),
    }),
    route({
      ...common,
      method: 'POST',
      path,
      operationId: 'console_playground_sessions_create',
      summary: 'Keep a session under a name',
      status: 201,
      bodyBytesMax: SESSION_BYTES_MAX,
      body: NewPlaygroundSession,
      response: PlaygroundSession,
      handler: ({ scope, body }) => service.playground.create(scope, body),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:session_id`,
      operationId: 'console_playground_sessions_get',
      summary: 'Read a session with its settings and messages',
      params: SessionParams,
      response: PlaygroundSession,
      handler: ({ scope, params }) => service.playground.get(scope, params.session_id),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: `${path}/:session_id`,
      operationId: 'console_playground_sessions_update',
      summary: 'Rename, share or save a session of yours',
      params: SessionParams,
      bodyBytesMax: SESSION_BYTES_MAX,
      body: PlaygroundSessionChange,
      response: ListedPlaygroundSession,
      handler: ({ scope, params, body }) => service.playground.update(scope, params.session_id, body),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:session_id`,
      operationId: 'console_playground_sessions_delete',
      summary: 'Delete a session of yours',
      status: 204,
      params: SessionParams,
      handler: ({ scope, params }) => service.playground.remove(scope, params.session_id),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/console/api/playground/prices',
      operationId: 'console_playground_prices',
      summary: 'What models cost per million tokens',
      response: PlaygroundPrices,
      handler: ({ scope }) => service.playground.prices(scope),
    }),
  ];
}
