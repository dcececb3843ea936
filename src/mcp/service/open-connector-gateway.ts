import { type CallToolResult, McpServer, type Tool } from '@modelcontextprotocol/server';
import type { ConnectorService } from '../../connectors/index.ts';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError, type RequestContext } from '../../kit/http/index.ts';
import { withProtocolErrors } from '../explain-error.ts';
import { noteProxyError } from '../note-proxy-error.ts';
import { createMcpTransport, type McpTransport } from '../transport/transport.ts';

type Options = { connectors: ConnectorService; version: string; log: Logger };
type Call = { name: string; arguments?: Record<string, unknown> | undefined };

/** One connector as an MCP server: its tools, called with credentials that the client never sees. */
export function openConnectorGateway({ connectors, version, log }: Options): Pick<McpTransport, 'post'> {
  function build(context: RequestContext): McpServer {
    const { scope } = context;
    const { id, credentialsName } = read(context);
    const mcp = new McpServer({ name: id, version }, { capabilities: { tools: {} } });
    mcp.server.setRequestHandler('tools/list', () =>
      withProtocolErrors(log, async () => {
        const { tools } = await connectors.connect(scope, id, { credentialsName });
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
      withProtocolErrors(log, () => callTool(context, params)),
    );
    return mcp;
  }

  /** A connector that does not respond is a failed call, which the model sees. */
  async function callTool(context: RequestContext, { name, arguments: given = {} }: Call): Promise<CallToolResult> {
    const { scope, signal } = context;
    const { id, credentialsName } = read(context);
    try {
      const options = { credentialsName, signal };
      return (await connectors.tools.callThroughGateway(scope, id, name, given, options)) as CallToolResult;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  }

  const { post } = createMcpTransport({ build, watch: async () => () => undefined, log });
  return {
    async post(context) {
      const { id, credentialsName } = read(context);
      await connectors.enter(context.scope, id, credentialsName).catch((error: unknown) => {
        throw noteProxyError(error, context);
      });
      return post(context);
    },
  };
}

function read({ params, headers }: RequestContext) {
  const name = headers['x-credentials-name'];
  return {
    id: (params as { connector_id: string }).connector_id,
    credentialsName: typeof name === 'string' && name !== '' ? name : undefined,
  };
}
