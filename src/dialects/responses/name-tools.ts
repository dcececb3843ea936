import type { ChatCompletionRequest } from '../../chat/index.ts';
import { dialectErrors } from '../errors.ts';
import type { FunctionTool, NamespaceTool } from '../schema/responses.ts';

type Tools = NonNullable<ChatCompletionRequest['tools']>;
export type NamedFunction = { name: string; namespace: string | null };

/** The functions of a request: how the model calls them, and which of the client's functions that is. */
export type NamedTools = {
  tools: Tools;
  /** By the name that the model uses. */
  functions: Map<string, NamedFunction>;
};

const NO_PARAMETERS = { type: 'object', properties: {} };

/** A model knows no namespaces: a function of one is called `namespace__name` by it. */
export function nameTools(given: readonly (FunctionTool | NamespaceTool)[]): NamedTools {
  const named: NamedTools = { tools: [], functions: new Map() };
  for (const tool of given) {
    if (tool.type === 'function') addFunction(named, tool, null);
    else
      for (const inner of tool.tools) {
        if (inner.type === 'custom')
          throw dialectErrors.input_item_unsupported(
            `The tool '${inner.name}' of type custom`,
            'Give it as a function with one string parameter.',
          );
        addFunction(named, inner, tool);
      }
  }
  return named;
}

/** The name that the model uses for a function of the client. */
export function modelNameOf(name: string, namespace: string | null | undefined): string {
  return namespace ? `${namespace}__${name}` : name;
}

/** Of a tool choice, which names no namespace. */
export function findFunction({ functions }: NamedTools, name: string): string {
  const found = [...functions].filter(([, one]) => one.name === name).map(([modelName]) => modelName);
  if (found.length > 1) throw dialectErrors.tool_namespace_invalid(name);
  return found[0] ?? name;
}

function addFunction({ tools, functions }: NamedTools, tool: FunctionTool, space: NamespaceTool | null): void {
  if (tool.allowed_callers && !tool.allowed_callers.includes('direct'))
    throw dialectErrors.option_unsupported('allowed_callers', 'functions are called by the model directly.');
  const name = modelNameOf(tool.name, space?.name);
  if (functions.has(name)) throw dialectErrors.tool_namespace_invalid(tool.name);
  functions.set(name, { name: tool.name, namespace: space?.name ?? null });
  const about = [space?.description, tool.description].filter(Boolean).join('\n');
  tools.push({
    type: 'function',
    function: {
      name,
      description: about,
      parameters: tool.parameters ?? NO_PARAMETERS,
      strict: tool.strict ?? false,
    },
  });
}
