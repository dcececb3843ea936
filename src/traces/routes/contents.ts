import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ContentSettings, ContentSettingsRequest, ContentsQuery } from '../schema/contents.ts';
import type { TraceService } from '../service/trace-service.ts';

const PATH = '/v1/observability/contents';

export function contentRoutes(traces: TraceService): AnyRoute[] {
  const common = { tags: ['observability'], path: PATH };
  return [
    route({
      ...common,
      permission: 'observability:read',
      method: 'GET',
      operationId: 'observability_get_contents',
      summary: 'Tell whether the workspace keeps inputs and outputs',
      response: ContentSettings,
      handler: ({ scope }) => traces.contents.get(scope),
    }),
    route({
      ...common,
      permission: 'observability:administer',
      method: 'PUT',
      operationId: 'observability_set_contents',
      summary: 'Switch the keeping of inputs and outputs on or off',
      body: ContentSettingsRequest,
      response: ContentSettings,
      handler: ({ scope, body }) => traces.contents.set(scope, body),
    }),
    route({
      ...common,
      permission: 'observability:administer',
      method: 'DELETE',
      operationId: 'observability_delete_contents',
      summary: 'Delete inputs and outputs that the workspace has kept: all, or those of a user',
      status: 204,
      query: ContentsQuery,
      handler: ({ scope, query }) => traces.contents.clear(scope, query),
    }),
  ];
}
