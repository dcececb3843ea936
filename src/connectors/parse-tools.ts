import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/client';
import { createPrepareBudget, prepareSchema } from '../kit/json-schema/index.ts';
import { clean, cleanJson, cutText } from './clean-text.ts';
import { connectorErrors } from './errors.ts';

const TOOLS_MAX = 512;
const LIST_CHARACTERS_MAX = 2 * 1024 * 1024;
const DESCRIPTION_CHARACTERS_MAX = 4096;
const NAME_CHARACTERS_MAX = 256;

export type ParsedTools = {
  tools: Tool[];
  /** Names of tools whose schema takes too much work to check. */
  leftOut: string[];
};

/** The tools that a connector lists, within our limits. */
export async function parseTools(id: string, listed: readonly Tool[]): Promise<ParsedTools> {
  if (listed.length > TOOLS_MAX)
    throw connectorErrors.connector_failed(
      `The connector '${id}' lists ${listed.length} tools; the limit is ${TOOLS_MAX}.`,
    );
  const tools = new Map<string, Tool>();
  const leftOut: string[] = [];
  let characters = 0;
  let budget = createPrepareBudget();
  for (const tool of listed) {
    if (tool.name === '' || tool.name.length > NAME_CHARACTERS_MAX || tools.has(tool.name)) continue;
    const { name, inputSchema } = JSON.parse(cleanJson(tool)) as Tool;
    characters += JSON.stringify(inputSchema).length;
    if (characters > LIST_CHARACTERS_MAX)
      throw connectorErrors.connector_failed(`The connector '${id}' describes its tools at too great a length.`);
    if (prepareSchema(inputSchema, budget) === 'too_expensive') {
      leftOut.push(name);
      continue;
    }
    // Others get their turn in between: there may be hundreds of tools.
    if (budget.isSpent()) {
      await nextTurn();
      budget = createPrepareBudget();
    }
    const description = cutText(clean(tool.description ?? tool.title ?? ''), DESCRIPTION_CHARACTERS_MAX);
    tools.set(name, { name, description, inputSchema, ...hintsOf(tool) });
  }
  return { tools: [...tools.values()], leftOut };
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** A title and what the server says about effects, for people. */
function hintsOf({ title, annotations }: Tool): Pick<Tool, 'title' | 'annotations'> {
  const given: Record<string, unknown> = annotations ?? {};
  const hints = HINTS.flatMap((name) => (typeof given[name] === 'boolean' ? [[name, given[name]]] : []));
  return {
    ...(title === undefined ? {} : { title: cutText(clean(title), NAME_CHARACTERS_MAX) }),
    ...(hints.length === 0 ? {} : { annotations: Object.fromEntries(hints) }),
  };
}
