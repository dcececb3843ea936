import { type CallToolResult, McpServer, type Tool } from '@modelcontextprotocol/server';
import {
  type ConnectorResult,
  type ConnectorService,
  connectorErrors,
  type ResultPart,
} from '../../connectors/index.ts';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError, type RequestContext } from '../../kit/http/index.ts';
import { withProtocolErrors } from '../explain-error.ts';
import { createMcpTransport, type McpTransport } from '../transport/transport.ts';

type Options = { connectors: ConnectorService; version: string; log: Logger };
type Call = { name: string; arguments?: Record<string, unknown> | undefined };

/** One connector as an MCP server: its tools, called with the operator's credentials. */
export function openConnectorGateway({ connectors, version, log }: Options): Pick<McpTransport, 'post'> {
  function build(context: RequestContext): McpServer {
    const { id, workspaceId } = find(context);
    const mcp = new McpServer({ name: id, version }, { capabilities: { tools: {} } });
    mcp.server.setRequestHandler('tools/list', () =>
      withProtocolErrors(log, async () => {
        const { tools } = await connectors.connect(workspaceId, id);
        return {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            inputSchema: parameters as Tool['inputSchema'],
          })),
        };
      }),
    );
    mcp.server.setRequestHandler('tools/call', ({ params }) =>
      withProtocolErrors(log, () => callTool(workspaceId, id, params, context.signal)),
    );
    return mcp;
  }

  function find({ scope, params }: RequestContext) {
    const id = (params as { connector_id: string }).connector_id;
    const isKnown = connectors.list(scope.workspace_id).some((connector) => connector.id === id);
    if (!isKnown) throw connectorErrors.connector_absent(id);
    return { id, workspaceId: scope.workspace_id };
  }

  /** A connector that does not respond is a failed call, which the model sees. */
  async function callTool(workspaceId: string, id: string, call: Call, signal: AbortSignal): Promise<CallToolResult> {
    try {
      const connection = await connectors.connect(workspaceId, id);
      try {
        return toResult(await connection.call(call.name, call.arguments ?? {}, signal));
      } finally {
        await connection.close();
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  }

  const { post } = createMcpTransport({ build, watch: async () => () => undefined, log });
  return {
    async post(context) {
      find(context);
      return post(context);
    },
  };
}

function toResult({ parts, structured, isError }: ConnectorResult): CallToolResult {
  return {
    content: parts.map(toContent),
    ...(isObject(structured) ? { structuredContent: structured } : {}),
    ...(isError ? { isError } : {}),
  };
}

function toContent(part: ResultPart): CallToolResult['content'][number] {
  if (part.type === 'text') return part;
  if (part.type === 'link') {
    const { url: uri, title: name, description } = part;
    return { type: 'resource_link', uri, name, ...(description === undefined ? {} : { description }) };
  }
  const { name, mimetype: mimeType, bytes } = part;
  const data = Buffer.from(bytes).toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType, blob: data } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
