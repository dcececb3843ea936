import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Scope } from '../../kit/http/index.ts';
import { inlineRefs } from './inline-refs.ts';

type Result = Record<string, unknown>;

/** What the server needs of a tool, wherever its arguments are described. */
export type McpTool = {
  /** As `tools/list` shows it. */
  listed: Tool;
  /** The one permission that a key needs to see the tool and to call it. */
  permission: string;
  /** The arguments as the deed takes them, or a text that says what is wrong with them. */
  read(given: unknown): { input: unknown } | { problem: string };
  run(scope: Scope, input: unknown): Promise<Result>;
  /** The result in the form a model reads best; without it the result is shown as JSON. */
  show?: ((result: Result) => CallToolResult['content']) | undefined;
};

/** The tools of a room; what they are may depend on who asks. A room that runs things (workflows) brings its own. */
export type ToolSource = (scope: Scope) => readonly McpTool[] | Promise<readonly McpTool[]>;

/** One line of a table of tools: arguments, result, permission and deed from one place. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(definition: {
  name: string;
  title: string;
  /** For the model that chooses: what it does, and when to choose it. */
  description: string;
  permission: string;
  /** `reads` changes nothing, `adds` keeps everything there was, `overwrites` takes something away. */
  effect: 'reads' | 'adds' | 'overwrites';
  /** Calling it again with the same arguments changes nothing more. */
  isIdempotent?: boolean;
  input: I;
  output: O;
  run: (scope: Scope, input: z.output<I>) => Promise<z.input<O>>;
  show?: (result: z.input<O>) => CallToolResult['content'];
}): McpTool {
  const { name, title, description, permission, effect, input, output, run, show } = definition;
  return {
    permission,
    listed: {
      name,
      title,
      description,
      inputSchema: schemaOf(input, 'input') as Tool['inputSchema'],
      outputSchema: schemaOf(output, 'output') as NonNullable<Tool['outputSchema']>,
      annotations: {
        title,
        readOnlyHint: effect === 'reads',
        destructiveHint: effect === 'overwrites',
        idempotentHint: definition.isIdempotent ?? effect === 'reads',
        openWorldHint: false,
      },
    },
    read(given) {
      const read = input.safeParse(given);
      return read.success ? { input: read.data } : { problem: z.prettifyError(read.error) };
    },
    run: run as McpTool['run'],
    show: show as McpTool['show'],
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
  return inlineRefs(rest);
}
