import type { Tool } from '@modelcontextprotocol/client';
import { clean, cleanJson, cutText } from './clean-text.ts';
import { connectorErrors } from './errors.ts';

const TOOLS_MAX = 512;
const LIST_CHARACTERS_MAX = 2 * 1024 * 1024;
const DESCRIPTION_CHARACTERS_MAX = 4096;
const NAME_CHARACTERS_MAX = 256;

/** The tools that a connector lists, within our limits. */
export function parseTools(id: string, listed: readonly Tool[]): Tool[] {
  if (listed.length > TOOLS_MAX)
    throw connectorErrors.connector_failed(
      `The connector '${id}' lists ${listed.length} tools; the limit is ${TOOLS_MAX}.`,
    );
  const tools = new Map<string, Tool>();
  let characters = 0;
  for (const tool of listed) {
    if (tool.name === '' || tool.name.length > NAME_CHARACTERS_MAX || tools.has(tool.name)) continue;
    const { name, inputSchema } = JSON.parse(cleanJson(tool)) as Tool;
    characters += JSON.stringify(inputSchema).length;
    if (characters > LIST_CHARACTERS_MAX)
      throw connectorErrors.connector_failed(`The connector '${id}' describes its tools at too great a length.`);
    const description = cutText(clean(tool.description ?? tool.title ?? ''), DESCRIPTION_CHARACTERS_MAX);
    tools.set(name, { name, description, inputSchema });
  }
  return [...tools.values()];
}
