import { z } from 'zod';
import { type AnyRoute, limitedObject, route } from '../../kit/http/index.ts';
import {
  Connector,
  ConnectorParams,
  ConnectorQuery,
  ConnectorRef,
  ConnectorsQuery,
  ConsumerParams,
  CreateConnectorRequest,
  PaginatedConnectors,
  ToolExecutionConfiguration,
  UpdateConnectorRequest,
} from '../schema/connectors.ts';
import { MessageResponse } from '../schema/credentials.ts';
import type { ConnectorService } from '../service/index.ts';
import { WRITE } from '../service/ports.ts';

const tags = ['beta.connectors'];

export function catalogueRoutes(connectors: ConnectorService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/connectors',
      operationId: 'connector_create_v1',
      summary: 'Create a connector: an MCP server, or an HTTP API',
      tags,
      permission: WRITE,
      status: 201,
      creates: true,
      alsoAnswers: [503],
      body: CreateConnectorRequest,
      response: Connector,
      handler: ({ scope, body }) => connectors.catalogue.create(scope, body),
    }),
    route({
      method: 'GET',
      path: '/v1/connectors',
      operationId: 'connector_list_v1',
      summary:
        'List the connectors that you see: your own, those of the workspace and the organization, and the declared ones',
      tags,
      permission: 'connectors:use',
      query: ConnectorsQuery,
      response: PaginatedConnectors,
      handler: ({ scope, query }) => connectors.catalogue.list(scope, query),
    }),
    route({
      method: 'GET',
      path: '/v1/connectors/:connector_id_or_name',
      operationId: 'connector_get_v1',
      summary: 'Read one connector by its id or name',
      tags,
      permission: 'connectors:use',
      params: ConnectorRef,
      query: ConnectorQuery,
      response: Connector,
      handler: ({ scope, params, query }) => connectors.catalogue.get(scope, params.connector_id_or_name, query),
    }),
    route({
      method: 'PATCH',
      path: '/v1/connectors/:connector_id',
      operationId: 'connector_update_v1',
      summary: 'Change a connector; at another origin it loses all its credentials',
      tags,
      permission: WRITE,
      stores: true,
      alsoAnswers: [503],
      params: ConnectorParams,
      body: UpdateConnectorRequest,
      response: Connector,
      handler: ({ scope, params, body }) => connectors.catalogue.update(scope, params.connector_id, body),
    }),
    route({
      method: 'DELETE',
      path: '/v1/connectors/:connector_id',
      operationId: 'connector_delete_v1',
      summary: 'Delete a connector with all its credentials',
      tags,
      permission: WRITE,
      params: ConnectorParams,
      response: MessageResponse,
      handler: ({ scope, params }) => connectors.catalogue.remove(scope, params.connector_id),
    }),
    route({
      method: 'PUT',
      path: '/v1/connectors/:connector_id/share',
      operationId: 'connector_share_v1',
      summary: 'Share a connector with the workspace',
      tags,
      permission: WRITE,
      params: ConnectorParams,
      response: MessageResponse,
      handler: ({ scope, params }) => connectors.catalogue.share(scope, params.connector_id, 'shared_workspace'),
    }),
    route({
      method: 'DELETE',
      path: '/v1/connectors/:connector_id/share',
      operationId: 'connector_unshare_v1',
      summary: 'Make a connector private to its creator',
      tags,
      permission: WRITE,
      params: ConnectorParams,
      response: MessageResponse,
      handler: ({ scope, params }) => connectors.catalogue.share(scope, params.connector_id, 'private'),
    }),
    route({
      method: 'PUT',
      path: '/v1/connectors/:connector_id/organization/share',
      operationId: 'connector_share_to_organization_v1',
      summary: 'Share a connector with the organization; for its admins',
      tags,
      permission: WRITE,
      params: ConnectorParams,
      response: MessageResponse,
      handler: ({ scope, params }) => connectors.catalogue.share(scope, params.connector_id, 'shared_org'),
    }),
    route({
      method: 'DELETE',
      path: '/v1/connectors/:connector_id/organization/share',
      operationId: 'connector_unshare_from_organization_v1',
      summary: 'Share a connector with its workspace only',
      tags,
      permission: WRITE,
      params: ConnectorParams,
      response: MessageResponse,
      handler: ({ scope, params }) => connectors.catalogue.share(scope, params.connector_id, 'shared_workspace'),
    }),
    ...(['activate', 'deactivate'] as const).map((verb) =>
      route({
        method: 'POST',
        path: `/v1/connectors/:connector_id/:consumer_scope/${verb}`,
        operationId: `connector_${verb}_for_consumer_v1`,
        summary:
          verb === 'activate'
            ? 'Activate a connector for yourself, the workspace or the organization'
            : 'Deactivate a connector for yourself, the workspace or the organization',
        tags,
        permission: 'connectors:use',
        params: ConsumerParams,
        response: MessageResponse,
        handler: ({ scope, params }) =>
          connectors.catalogue.activate(scope, params.connector_id, params.consumer_scope, verb === 'activate'),
      }),
    ),
    route({
      method: 'PUT',
      path: '/v1/connectors/:connector_id/:consumer_scope/preferences',
      operationId: 'connector_preferences_put',
      summary: 'Choose which tools may be used (allow, deny), and which only after a confirmation (ask)',
      tags,
      permission: 'connectors:use',
      params: ConsumerParams,
      body: ToolExecutionConfiguration,
      response: Connector,
      handler: ({ scope, params, body }) =>
        connectors.catalogue.prefer(scope, params.connector_id, params.consumer_scope, body),
    }),
    route({
      method: 'PUT',
      path: '/v1/connectors/:connector_id/openapi',
      operationId: 'connector_openapi_put',
      summary: 'Give an HTTP connector the OpenAPI document whose operations become its tools',
      tags,
      permission: WRITE,
      stores: true,
      largeBody: true,
      alsoAnswers: [502],
      params: ConnectorParams,
      body: OpenApiRequest,
      response: Connector,
      handler: ({ scope, params, body }) => connectors.tools.describe(scope, params.connector_id, body),
    }),
  ];
}

const OpenApiRequest = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2083)
      .optional(),
    document: limitedObject({ keys: 64, characters: 4 * 1024 * 1024 }).optional(),
  })
  .refine(({ url, document }) => (url === undefined) !== (document === undefined), 'give url or document')
  .meta({ id: 'ConnectorOpenApiRequest' });
