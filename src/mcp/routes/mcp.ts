import { type AnyRoute, route } from '../../kit/http/index.ts';
import { JsonRpcEvent, JsonRpcMessage, JsonRpcRefusal } from '../schema/json-rpc.ts';
import type { McpTransport } from '../transport/transport.ts';

/** Large enough for a skill with all its files. */
const BODY_BYTES_MAX = 24 * 1024 * 1024;

export function mcpRoutes(mcp: McpTransport): AnyRoute[] {
  const common = { path: '/mcp', permission: 'mcp:use', checksOrigin: true } as const;
  return [
    route({
      ...common,
      method: 'POST',
      operationId: 'mcp_post',
      tags: ['mcp'],
      summary: 'One message of the Model Context Protocol; the reply to a request is a stream of events',
      bodyBytesMax: BODY_BYTES_MAX,
      rawBody: true,
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
      handler: (context) => mcp.post(context),
    }),
    route({
      ...common,
      method: 'GET',
      operationId: 'mcp_listen',
      tags: ['mcp'],
      summary: 'A stream of notifications when the list of tools, prompts or resources changes',
      streams: JsonRpcEvent,
      alsoAnswers: [
        [400, JsonRpcRefusal],
        [404, JsonRpcRefusal],
        [406, JsonRpcRefusal],
      ],
      handler: (context) => mcp.listen(context),
    }),
  ];
}
