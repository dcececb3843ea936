import { McpServer } from '@modelcontextprotocol/server';
import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../../kit/base/log.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { PromptService } from '../../prompts/index.ts';
import type { SkillService } from '../../skills/index.ts';
import { withProtocolErrors } from '../explain-error.ts';
import { servePrompts } from '../serve-prompts.ts';
import { serveSkills } from '../serve-skills.ts';
import { callTool } from '../tools/call-tool.ts';
import { changingTools } from '../tools/change-skills.ts';
import { readingTools } from '../tools/read-skills.ts';
import type { McpTool, ToolSource } from '../tools/tool.ts';
import { createMcpTransport, type McpTransport } from '../transport/transport.ts';
import type { WatchLists } from '../transport/watcher.ts';

const INSTRUCTIONS =
  'The skills of a workspace: reusable instructions with files. Look for one with list_skills before a task, read it with get_skill, and follow what it says.';

/** The tool server for clients of the Model Context Protocol, with the permissions of the caller's key. */
export function createMcpService(options: {
  skills: SkillService;
  prompts: PromptService;
  /** Tools of other rooms. */
  sources?: readonly ToolSource[];
  watch: WatchLists;
  version: string;
  log: Logger;
  registry?: Registry;
}): McpTransport {
  const { skills, prompts, sources = [], watch, version, log, registry } = options;
  const skillTools = [...readingTools(skills.catalogue), ...changingTools(skills)];

  async function listTools(scope: Scope): Promise<McpTool[]> {
    return [...skillTools, ...(await Promise.all(sources.map((source) => source(scope)))).flat()];
  }

  function build(scope: Scope): McpServer {
    const mayReadPrompts = scope.permissions.has('prompts:read');
    const mayReadSkills = scope.permissions.has('skills:read');
    const mcp = new McpServer(
      { name: 'tramontane', title: 'Tramontane', version },
      {
        capabilities: {
          tools: { listChanged: true },
          ...(mayReadSkills ? { resources: { listChanged: true } } : {}),
          ...(mayReadPrompts ? { prompts: { listChanged: true } } : {}),
        },
        instructions: INSTRUCTIONS,
      },
    );
    mcp.server.setRequestHandler('tools/list', () =>
      withProtocolErrors(log, async () => {
        const tools = await listTools(scope);
        return {
          tools: tools.filter(({ permission }) => scope.permissions.has(permission)).map(({ listed }) => listed),
        };
      }),
    );
    mcp.server.setRequestHandler('tools/call', ({ params }) =>
      withProtocolErrors(log, async () => callTool(await listTools(scope), scope, params, log)),
    );
    if (mayReadSkills) serveSkills(mcp, scope, skills.catalogue, log);
    if (mayReadPrompts) servePrompts(mcp, scope, prompts, log);
    return mcp;
  }

  const transport = createMcpTransport({ build, watch, log });
  if (registry) countStreams(transport, registry);
  return transport;
}

function countStreams({ openStreams }: McpTransport, registry: Registry): void {
  new Gauge({
    name: 'mcp_open_streams',
    help: 'Open streams that notify MCP clients of changes',
    registers: [registry],
    collect() {
      this.set(openStreams());
    },
  });
}
