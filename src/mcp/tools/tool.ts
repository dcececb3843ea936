import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Scope } from '../../kit/http/index.ts';
import { inlineRefs } from './inline-refs.ts';

type Result = Record<string, unknown>;

export type McpTool = {
  /** As `tools/list` shows it. */
  listed: Tool;
  /** The permission that a key needs to list and call the tool. */
  permission: string;
  /** The parsed arguments, or what is wrong with them. */
  parse(given: unknown): { input: unknown } | { problem: string };
  run(scope: Scope, input: unknown): Promise<Result>;
  /** The result as content for the model; JSON if left out. */
  show?: ((result: Result) => CallToolResult['content']) | undefined;
};

/** The tools of another room, which may depend on the caller. */
export type ToolSource = (scope: Scope) => readonly McpTool[] | Promise<readonly McpTool[]>;

/** Defines a tool: its arguments, result, permission and implementation. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(definition: {
  name: string;
  title: string;
  /** For the model: what the tool does, and when to use it. */
  description: string;
  permission: string;
  /** `reads` changes nothing, `adds` only adds, `overwrites` changes or deletes something. */
  effect: 'reads' | 'adds' | 'overwrites';
  /** A repeated call with the same arguments has no further effect. */
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
    parse(given) {
      const parsed = input.safeParse(given);
      return parsed.success ? { input: parsed.data } : { problem: z.prettifyError(parsed.error) };
    },
    run: run as McpTool['run'],
    show: show as McpTool['show'],
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
  return inlineRefs(rest);
}
