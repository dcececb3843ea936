import { z } from 'zod';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import { JsonRpcEvent, JsonRpcMessage, JsonRpcRefusal } from '../schema/json-rpc.ts';
import type { ConnectorGateway } from '../service/connector-gateway.ts';

const HttpParams = z.strictObject({ connector_id: z.string(), '*': z.string() });
const AnyQuery = z.record(z.string(), z.unknown());
const ConnectorParams = z.strictObject({ connector_id: z.string() });

export function connectorGatewayRoutes(gateway: ConnectorGateway): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/connectors-gateway/:connector_id/mcp',
      operationId: 'connectors_gateway_post',
      tags: ['beta.connectors'],
      summary: 'One message of the Model Context Protocol to a connector; the reply to a request is a stream of events',
      permission: 'connectors:use',
      checksOrigin: true,
      rawBody: true,
      params: ConnectorParams,
      body: JsonRpcMessage,
      response: JsonRpcMessage,
      streams: JsonRpcEvent,
      // A notification has no reply.
      alsoAnswers: [
        [202, null],
        [400, JsonRpcRefusal],
        [404, JsonRpcRefusal],
        [406, JsonRpcRefusal],
      ],
      handler: (context) => gateway.post(context),
    }),
    ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      route({
        method,
        path: '/v1/connectors-gateway/:connector_id/http/*',
        operationId: `connectors_gateway_http_${method.toLowerCase()}`,
        summary: 'A request to an HTTP connector, with credentials that the server adds',
        permission: 'connectors:use',
        // The description of its requests is the connector's own.
        hidden: true,
        checksOrigin: true,
        largeBody: true,
        rawBody: ['*'],
        params: HttpParams,
        query: AnyQuery,
        handler: (context) => gateway.forward(context, method),
      }),
    ),
  ];
}
