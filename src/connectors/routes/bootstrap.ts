import { type AnyRoute, route } from '../../kit/http/index.ts';
import { BootstrapQuery, ConnectorBootstrap } from '../schema/connections.ts';
import type { ConnectorService } from '../service/index.ts';

export function bootstrapRoutes(connectors: ConnectorService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/connectors/bootstrap',
      operationId: 'connectors_bootstrap',
      summary: 'The connectors of the workspace with their tools, for clients that call them by themselves',
      tags: ['beta.connectors'],
      permission: 'connectors:use',
      query: BootstrapQuery,
      response: ConnectorBootstrap,
      handler: ({ scope, query }) => connectors.bootstrap(scope, query),
    }),
  ];
}
