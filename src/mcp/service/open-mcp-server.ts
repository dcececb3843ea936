import { McpServer } from '@modelcontextprotocol/server';
import type { RequestContext, Scope } from '../../kit/http/index.ts';
import { withProtocolErrors } from '../explain-error.ts';
import { servePrompts } from '../serve-prompts.ts';
import { serveSkills } from '../serve-skills.ts';
import { callTool } from '../tools/call-tool.ts';
import { changingTools } from '../tools/change-skills.ts';
import { readingTools } from '../tools/read-skills.ts';
import type { McpTool } from '../tools/tool.ts';
import { createMcpTransport, type McpTransport } from '../transport/transport.ts';
import type { McpOptions } from './mcp-options.ts';

const INSTRUCTIONS =
  'The skills of a workspace: reusable instructions with files. Look for one with list_skills before a task, read it with get_skill, and follow what it says.';

/** Loads the protocol's library, which is large. */
export function openMcpServer(options: McpOptions): McpTransport {
  const { skills, prompts, sources = [], watch, version, log } = options;
  const skillTools = [...readingTools(skills.catalogue), ...changingTools(skills)];

  async function listTools(scope: Scope): Promise<McpTool[]> {
    return [...skillTools, ...(await Promise.all(sources.map((source) => source(scope)))).flat()];
  }

  function build({ scope }: RequestContext): McpServer {
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

  return createMcpTransport({ build, watch, log });
}
