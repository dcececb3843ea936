import type { AgentTool } from '../../chat/index.ts';
import type { ConnectorService } from '../../connectors/index.ts';
import type { Sandbox } from '../../engines/sandbox/index.ts';
import { badRequest } from '../../kit/http/index.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import type { SkillCatalogue } from '../../skills/index.ts';
import type { OpenTools, ServerTool } from '../run/tools.ts';
import { codeTool } from './code-interpreter.ts';
import { type ConnectorRequest, openConnector } from './connector.ts';
import { type ImageConfig, imageTool, type SaveFile } from './image-generation.ts';
import { nameTools } from './name-tools.ts';
import type { Search } from './search-providers.ts';
import { openSkills } from './skills.ts';
import { webSearchTool } from './web-search.ts';

export type ToolPorts = {
  /** Left out where the operator named no provider. */
  search?: Search | undefined;
  images?: ImageConfig | undefined;
  /** Left out where the operator turned it off. */
  sandbox?: Sandbox | undefined;
  connectors: ConnectorService;
  skills: Pick<SkillCatalogue, 'read' | 'readFile'>;
  outbound: Outbound;
  saveFile: SaveFile;
};

/** The tools of this server, as requests may name them. */
export function createTools(ports: ToolPorts): OpenTools {
  const { search, images, sandbox, outbound, saveFile } = ports;

  function open(tool: Exclude<AgentTool, { type: 'function' | 'connector' }>): ServerTool {
    switch (tool.type) {
      case 'web_search':
      case 'web_search_premium':
        return webSearchTool(tool.type, search);
      case 'image_generation':
        return imageTool(images, outbound, saveFile);
      case 'code_interpreter':
        return codeTool(sandbox, saveFile);
      case 'document_library':
        throw badRequest('The tool document_library is not available: this server has no libraries. Leave it out.');
    }
  }

  return async ({ tools, skills }, caller) => {
    const functions: string[] = [];
    const built: ServerTool[] = [];
    const connectors: ConnectorRequest[] = [];
    for (const tool of tools) {
      if (tool.type === 'function') functions.push(tool.function.name);
      else if (tool.type === 'connector') connectors.push(tool);
      else built.push(...configure(open(tool), tool));
    }
    checkConnectors(connectors);
    const skilled = await openSkills(ports.skills, skills, caller);
    const connected = await Promise.all(connectors.map((connector) => openConnector(ports, connector, caller)));
    return {
      tools: nameTools(
        [...built, ...skilled.tools],
        connected.flatMap((connector) => connector.tools),
        functions,
      ),
      troubles: connected.flatMap(({ troubles }) => troubles),
      instructions: skilled.instructions,
      skills: skilled.provenance,
      close: async () => void (await Promise.all(connected.map((connector) => connector.close()))),
    };
  };
}

function checkConnectors(connectors: readonly ConnectorRequest[]): void {
  const ids = connectors.map(({ connector_id }) => connector_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw badRequest(`The connector '${twice}' is named twice. Name it once.`);
}

/** Whether a tool is offered, and whether the client must allow each call. */
function configure(tool: ServerTool, given: AgentTool): ServerTool[] {
  const { include, exclude, requires_confirmation } =
    ('tool_configuration' in given ? given.tool_configuration : undefined) ?? {};
  if (include?.length && exclude?.length) throw badRequest('A tool_configuration has include or exclude, not both.');
  if (exclude?.includes(tool.name) || (include?.length && !include.includes(tool.name))) return [];
  return [{ ...tool, needsConfirmation: requires_confirmation?.includes(tool.name) ?? false }];
}
