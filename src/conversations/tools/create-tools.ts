import type { AgentTool } from '../../chat/index.ts';
import type { ConnectorService } from '../../connectors/index.ts';
import type { Sandbox } from '../../engines/sandbox/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import type { SkillCatalogue } from '../../skills/index.ts';
import { conversationErrors } from '../errors.ts';
import type { OpenTools, ServerTool } from '../run/toolbox.ts';
import { codeTool } from './code-interpreter.ts';
import { type ConnectorRequest, openConnector } from './connector.ts';
import { documentLibraryTool, type SearchLibraries } from './document-library.ts';
import { type ImageConfig, imageTool, type SaveFile } from './image-generation.ts';
import type { Search } from './search-providers.ts';
import { type OpenedSkills, openSkills } from './skills.ts';
import { webSearchTool } from './web-search.ts';

const NAME_CHARACTERS_MAX = 64;
const NO_SKILLS: OpenedSkills = { tools: [], instructions: [], provenance: [] };

export type ToolPorts = {
  /** Undefined when the operator configured no provider. */
  search?: Search | undefined;
  images?: ImageConfig | undefined;
  /** Undefined when the operator turned it off. */
  sandbox?: Sandbox | undefined;
  connectors: Pick<ConnectorService, 'connect'>;
  skills: Pick<SkillCatalogue, 'read' | 'readFile'>;
  outbound: Outbound;
  saveFile: SaveFile;
  searchLibraries?: SearchLibraries | undefined;
  /** Throws for libraries none of which the caller sees. */
  checkLibraries?: ((caller: Scope, ids: readonly string[]) => Promise<void>) | undefined;
};

export function createTools(ports: ToolPorts): OpenTools {
  const { search, images, sandbox, outbound, saveFile, searchLibraries } = ports;

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
        return documentLibraryTool(tool.library_ids, searchLibraries);
    }
  }

  return async ({ tools, skills }, caller) => {
    const functions: string[] = [];
    const built: ServerTool[] = [];
    const connectors: ConnectorRequest[] = [];
    for (const tool of tools) {
      checkAllowed(caller, tool.type);
      if (tool.type === 'function') functions.push(tool.function.name);
      else if (tool.type === 'connector') connectors.push(tool);
      else {
        if (tool.type === 'document_library') await ports.checkLibraries?.(caller, tool.library_ids);
        built.push(...configure(open(tool), tool));
      }
    }
    checkConnectors(connectors);
    const skilled = skills.length > 0 ? await openSkills(ports.skills, skills, caller) : NO_SKILLS;
    const connected = await Promise.all(connectors.map((connector) => openConnector(ports, connector, caller)));
    return {
      tools: nameTools(
        [...built, ...skilled.tools],
        connected.flatMap((connector) => connector.tools),
        functions,
      ),
      troubles: connected.flatMap(({ troubles }) => troubles),
      instructions: [...skilled.instructions, ...connected.flatMap((connector) => connector.instructions)],
      skills: skilled.provenance,
      close: async () => void (await Promise.all(connected.map((connector) => connector.close()))),
    };
  };
}

function checkConnectors(connectors: readonly ConnectorRequest[]): void {
  const ids = connectors.map(({ connector_id }) => connector_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw conversationErrors.connector_repeated(twice);
}

/** Applies the client's tool_configuration. Empty when it excludes the tool. */
function configure(tool: ServerTool, given: AgentTool): ServerTool[] {
  const { include, exclude, requires_confirmation } =
    ('tool_configuration' in given ? given.tool_configuration : undefined) ?? {};
  if (include?.length && exclude?.length) throw conversationErrors.tool_configuration_invalid();
  if (exclude?.includes(tool.name) || (include?.length && !include.includes(tool.name))) return [];
  return [{ ...tool, needsConfirmation: requires_confirmation?.includes(tool.name) ?? false }];
}

/** Makes names unique. The client cannot rename the tools of a connector, so these get its id as a prefix. */
function nameTools(
  own: readonly ServerTool[],
  connected: readonly (ServerTool & { prefix: string })[],
  functions: readonly string[],
): ServerTool[] {
  const fixed = [...own.map(({ name }) => name), ...functions];
  const twice = fixed.find((name, index) => fixed.indexOf(name) !== index);
  if (twice !== undefined) throw conversationErrors.tool_name_taken(twice);
  const wanted = [...fixed, ...connected.map(({ name }) => name)];
  const taken = new Set(fixed);
  const named = connected.map(({ prefix, ...tool }) => {
    const isUnique = wanted.filter((name) => name === tool.name).length === 1;
    const name = isUnique
      ? tool.name
      : freeName(`${prefix}_${tool.name}`, (one) => taken.has(one) || wanted.includes(one));
    taken.add(name);
    return { ...tool, name };
  });
  return [...own, ...named];
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted.slice(0, NAME_CHARACTERS_MAX);
  for (let number = 2; isTaken(name); number++) {
    const suffix = `_${number}`;
    name = wanted.slice(0, NAME_CHARACTERS_MAX - suffix.length) + suffix;
  }
  return name;
}

/** A key may be limited to kinds of tools. Functions are the client's own: the server does not run them. */
function checkAllowed({ allowed_tools: allowed }: Scope, type: AgentTool['type']): void {
  if (!allowed || type === 'function' || allowed.includes(type.replace('_premium', ''))) return;
  throw conversationErrors.tool_not_allowed(type);
}
