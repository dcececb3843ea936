import type { AgentTool } from '../../chat/index.ts';
import type { Sandbox } from '../../engines/sandbox/index.ts';
import { badRequest } from '../../kit/http/index.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import type { OpenTools, ServerTool } from '../run/tools.ts';
import { codeTool } from './code-interpreter.ts';
import { type ImageConfig, imageTool, type SaveFile } from './image-generation.ts';
import type { Search } from './search-providers.ts';
import { webSearchTool } from './web-search.ts';

export type ToolPorts = {
  /** Left out where the operator named no provider. */
  search?: Search | undefined;
  images?: ImageConfig | undefined;
  /** Left out where the operator turned it off. */
  sandbox?: Sandbox | undefined;
  outbound: Outbound;
  saveFile: SaveFile;
};

/** The tools of this server, as requests may name them. */
export function createTools({ search, images, sandbox, outbound, saveFile }: ToolPorts): OpenTools {
  function open(tool: AgentTool): ServerTool[] {
    switch (tool.type) {
      case 'function':
        return [];
      case 'web_search':
      case 'web_search_premium':
        return [webSearchTool(tool.type, search)];
      case 'image_generation':
        return [imageTool(images, outbound, saveFile)];
      case 'code_interpreter':
        return [codeTool(sandbox, saveFile)];
      case 'document_library':
        throw badRequest('The tool document_library is not available: this server has no libraries. Leave it out.');
      default:
        throw badRequest(`The tool ${tool.type} is not available on this server.`);
    }
  }

  return async (tools) => {
    const opened = tools.flatMap((tool) => open(tool).flatMap((made) => configure(made, tool)));
    const names = [...opened.map(({ name }) => name), ...tools.flatMap(functionName)];
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw badRequest(`More than one tool is named '${twice}'.`);
    return { tools: opened, close: async () => undefined };
  };
}

function functionName(tool: AgentTool): string[] {
  return tool.type === 'function' ? [tool.function.name] : [];
}

/** Which tools of a set are offered, and which the client must allow before each call. */
function configure(tool: ServerTool, given: AgentTool): ServerTool[] {
  const { include, exclude, requires_confirmation } =
    ('tool_configuration' in given ? given.tool_configuration : undefined) ?? {};
  if (include?.length && exclude?.length) throw badRequest('A tool_configuration has include or exclude, not both.');
  if (exclude?.includes(tool.name) || (include?.length && !include.includes(tool.name))) return [];
  return [{ ...tool, needsConfirmation: requires_confirmation?.includes(tool.name) ?? false }];
}
