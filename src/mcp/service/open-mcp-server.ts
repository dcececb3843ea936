import { McpServer } from '@modelcontextprotocol/server';
import type { RequestContext, Scope } from '../../kit/http/index.ts';
import { withProtocolErrors } from '../explain-error.ts';
import { listLibraryResources, serveLibraries } from '../serve-libraries.ts';
import { servePrompts } from '../serve-prompts.ts';
import { serveSkills } from '../serve-skills.ts';
import { callTool } from '../tools/call-tool.ts';
import { changingTools } from '../tools/change-skills.ts';
import { libraryTools } from '../tools/read-libraries.ts';
import { readingTools } from '../tools/read-skills.ts';
import type { McpTool } from '../tools/tool.ts';
import { createMcpTransport, type McpTransport } from '../transport/transport.ts';
import type { McpOptions } from './mcp-options.ts';

const INSTRUCTIONS =
  'The skills of a workspace: reusable instructions with files. Look for one with list_skills before a task, read it with get_skill, and follow what it says. ' +
  'Its document libraries: find passages with search_libraries before you answer from memory, and name the document.';

type Rendered = { tools: readonly McpTool[]; json: Buffer };

/** Clients ask for the same tools on every turn, so the bytes of the last list are kept. */
function createToolRenderer(): (tools: readonly McpTool[]) => Buffer {
  let last: Rendered | undefined;
  return (tools) => {
    const isSame = last?.tools.length === tools.length && last.tools.every((tool, index) => tool === tools[index]);
    if (!last || !isSame) last = { tools, json: Buffer.from(JSON.stringify(tools.map(({ listed }) => listed))) };
    return last.json;
  };
}

/** Loads the protocol's library, which is large. */
export function openMcpServer(options: McpOptions): McpTransport {
  const { skills, prompts, libraries, sources = [], watch, version, log } = options;
  const ownTools = [...readingTools(skills.catalogue), ...changingTools(skills), ...libraryTools(libraries)];

  async function listTools(scope: Scope): Promise<McpTool[]> {
    return [...ownTools, ...(await Promise.all(sources.map((source) => source(scope)))).flat()];
  }

  function build({ scope }: RequestContext): McpServer {
    const mayReadPrompts = scope.permissions.has('prompts:read');
    const mayReadSkills = scope.permissions.has('skills:read');
    const mayReadLibraries = scope.permissions.has('libraries:read');
    const mcp = new McpServer(
      { name: 'tramontane', title: 'Tramontane', version },
      {
        capabilities: {
          tools: { listChanged: true },
          ...(mayReadSkills || mayReadLibraries ? { resources: { listChanged: true } } : {}),
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
    // First, because the library of the protocol takes over the list of resources with the first that is registered.
    if (mayReadLibraries) serveLibraries(mcp, scope, libraries, log);
    const listOthers = async () => (mayReadLibraries ? listLibraryResources(scope, libraries) : []);
    if (mayReadSkills) serveSkills(mcp, scope, skills.catalogue, log, listOthers);
    else if (mayReadLibraries)
      mcp.server.setRequestHandler('resources/list', () =>
        withProtocolErrors(log, async () => ({ resources: await listOthers() })),
      );
    if (mayReadPrompts) servePrompts(mcp, scope, prompts, log);
    return mcp;
  }

  const render = createToolRenderer();

  async function renderTools({ scope }: RequestContext): Promise<Buffer> {
    const tools = await listTools(scope);
    return render(tools.filter(({ permission }) => scope.permissions.has(permission)));
  }

  return createMcpTransport({ build, watch, log, renderTools });
}
