import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ConnectorRef } from '../schema/connectors.ts';
import { ConnectorUses } from '../schema/uses.ts';
import type { ConnectorService } from '../service/index.ts';

export function useRoutes(connectors: ConnectorService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/connectors/:connector_id_or_name/uses',
      operationId: 'connector_uses',
      summary: 'Who uses a connector, how often, and what failed last; without an admin role only your own use',
      tags: ['beta.connectors'],
      permission: 'connectors:use',
      params: ConnectorRef,
      response: ConnectorUses,
      handler: ({ scope, params }) => connectors.uses.list(scope, params.connector_id_or_name),
    }),
  ];
}
