import { McpServer } from '@modelcontextprotocol/server';
import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../kit/base/log.ts';
import type { Scope } from '../kit/http/index.ts';
import type { PromptService } from '../prompts/index.ts';
import { explained } from './explain.ts';
import { servePrompts } from './serve-prompts.ts';
import { callTool } from './tools/call-tool.ts';
import type { McpTool, ToolSource } from './tools/tool.ts';
import type { WatchLists } from './transport/changes.ts';
import { createMcpTransport, type McpTransport } from './transport/transport.ts';

const INSTRUCTIONS =
  'The skills of a workspace: reusable instructions with files. Look for one with list_skills before a task, read it with get_skill, and follow what it says.';

/** The tool server: what a key may do in its workspace, for any client of the Model Context Protocol. */
export function createMcpService(options: {
  prompts: PromptService;
  /** Whose tools are offered, in this order. */
  sources: readonly ToolSource[];
  watch: WatchLists;
  version: string;
  log: Logger;
  registry?: Registry;
}): McpTransport {
  const { prompts, sources, watch, version, log, registry } = options;

  async function toolsOf(scope: Scope): Promise<McpTool[]> {
    return (await Promise.all(sources.map((source) => source(scope)))).flat();
  }

  function build(scope: Scope): McpServer {
    const mayReadPrompts = scope.permissions.has('prompts:read');
    const mcp = new McpServer(
      { name: 'tramontane', title: 'Tramontane', version },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true },
          ...(mayReadPrompts ? { prompts: { listChanged: true } } : {}),
        },
        instructions: INSTRUCTIONS,
      },
    );
    mcp.server.setRequestHandler('tools/list', () =>
      explained(log, async () => {
        const tools = await toolsOf(scope);
        return {
          tools: tools.filter(({ permission }) => scope.permissions.has(permission)).map(({ listed }) => listed),
        };
      }),
    );
    mcp.server.setRequestHandler('tools/call', ({ params }) =>
      explained(log, async () => callTool(await toolsOf(scope), scope, params, log)),
    );
    if (mayReadPrompts) servePrompts(mcp, scope, prompts, log);
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
