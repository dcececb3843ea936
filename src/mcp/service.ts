import { McpServer } from '@modelcontextprotocol/server';
import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../kit/base/log.ts';
import type { Scope } from '../kit/http/index.ts';
import { callTool } from './tools/call-tool.ts';
import type { McpTool } from './tools/tool.ts';
import type { WatchLists } from './transport/changes.ts';
import { createMcpTransport, type McpTransport } from './transport/transport.ts';

const INSTRUCTIONS =
  'The skills of a workspace: reusable instructions with files. Look for one with list_skills before a task, read it with get_skill, and follow what it says.';

/** The tool server: what a key may do in its workspace, as tools for any client of the Model Context Protocol. */
export function createMcpService(options: {
  version: string;
  watch: WatchLists;
  log: Logger;
  tools: readonly McpTool[];
  registry?: Registry;
}): McpTransport {
  const { version, watch, log, tools, registry } = options;

  function build(scope: Scope): McpServer {
    const mcp = new McpServer(
      { name: 'tramontane', title: 'Tramontane', version },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true },
          prompts: { listChanged: true },
        },
        instructions: INSTRUCTIONS,
      },
    );
    const listed = tools.filter(({ permission }) => scope.permissions.has(permission)).map((tool) => tool.listed);
    mcp.server.setRequestHandler('tools/list', () => ({ tools: listed }));
    mcp.server.setRequestHandler('tools/call', ({ params }) => callTool(tools, scope, params, log));
    return mcp;
  }

  const transport = createMcpTransport({ build, watch, log });
  if (registry) countHeld(transport, registry);
  return transport;
}

function countHeld({ held }: McpTransport, registry: Registry): void {
  new Gauge({
    name: 'mcp_open_streams',
    help: 'Streams that wait to tell an MCP client of changes',
    registers: [registry],
    collect() {
      this.set(held().streams);
    },
  });
}
