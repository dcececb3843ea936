import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ConnectorRef, ToolParams } from '../schema/connectors.ts';
import { MessageResponse } from '../schema/credentials.ts';
import {
  CallToolQuery,
  ConnectorCallToolRequest,
  ConnectorToolCallResponse,
  ListedTools,
  ReviewedTools,
  ToolsQuery,
  TrustToolRequest,
} from '../schema/tools.ts';
import type { ConnectorService } from '../service/index.ts';
import { WRITE } from '../service/ports.ts';

const tags = ['beta.connectors'];
const permission = 'connectors:use';

export function toolRoutes(connectors: ConnectorService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/connectors/:connector_id_or_name/tools',
      operationId: 'connector_list_tools_v1',
      summary: 'The tools of a connector that you may use',
      tags,
      permission,
      large: true,
      alsoAnswers: [502, 504],
      params: ConnectorRef,
      query: ToolsQuery,
      response: ListedTools,
      handler: ({ scope, params, query }) => connectors.tools.list(scope, params.connector_id_or_name, query),
    }),
    route({
      method: 'POST',
      path: '/v1/connectors/:connector_id_or_name/tools/:tool_name/call',
      operationId: 'connector_call_tool_v1',
      summary: 'Call a tool with your credentials, which the server adds',
      tags,
      permission,
      largeBody: true,
      large: true,
      alsoAnswers: [502, 504],
      params: ToolParams,
      query: CallToolQuery,
      body: ConnectorCallToolRequest,
      response: ConnectorToolCallResponse,
      handler: ({ scope, params, query, body, signal }) =>
        connectors.tools.call(scope, params.connector_id_or_name, params.tool_name, body, {
          credentialsName: query.credentials_name,
          signal,
        }),
    }),
    route({
      method: 'GET',
      path: '/v1/connectors/:connector_id_or_name/tools/review',
      operationId: 'connector_tools_review',
      summary: 'The tools as they were trusted and as their server describes them now',
      tags,
      permission,
      large: true,
      alsoAnswers: [502, 504],
      params: ConnectorRef,
      response: ReviewedTools,
      handler: ({ scope, params }) => connectors.tools.review(scope, params.connector_id_or_name),
    }),
    route({
      method: 'POST',
      path: '/v1/connectors/:connector_id_or_name/tools/:tool_name/trust',
      operationId: 'connector_tools_trust',
      summary: 'Trust a changed tool as it is now, after a look at the review',
      tags,
      permission: WRITE,
      alsoAnswers: [502, 504],
      params: ToolParams,
      body: TrustToolRequest,
      response: MessageResponse,
      handler: ({ scope, params, body }) =>
        connectors.tools.trust(scope, params.connector_id_or_name, params.tool_name, body.digest),
    }),
  ];
}
