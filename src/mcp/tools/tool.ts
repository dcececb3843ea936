import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Scope } from '../../kit/http/index.ts';
import type { Permission } from '../../tenants/index.ts';

type ToolCommon = {
  name: string;
  title: string;
  /** For the model that chooses: what it does, and when to choose it. */
  description: string;
  /** The one permission that a key needs to see the tool and to call it. */
  permission: Permission;
  /** `reads` changes nothing, `adds` keeps everything there was, `overwrites` takes something away. */
  effect: 'reads' | 'adds' | 'overwrites';
  /** Calling it again with the same arguments changes nothing more. */
  isIdempotent?: boolean;
};

type Run<I extends z.ZodObject, O extends z.ZodObject> = (scope: Scope, input: z.output<I>) => Promise<z.input<O>>;

export type McpTool = ToolCommon & {
  input: z.ZodObject;
  output: z.ZodObject;
  run: (scope: Scope, input: Record<string, unknown>) => Promise<Record<string, unknown>>;
  show?: (result: Record<string, unknown>) => CallToolResult['content'];
  /** As `tools/list` shows it; made once. */
  listed: Tool;
};

/** One line of the table of tools: arguments, result, permission and deed from one place. */
export function tool<I extends z.ZodObject, O extends z.ZodObject>(
  definition: ToolCommon & {
    input: I;
    output: O;
    run: Run<I, O>;
    /** The result in the form a model reads best; without it the result is shown as JSON. */
    show?: (result: z.input<O>) => CallToolResult['content'];
  },
): McpTool {
  return { ...definition, listed: describe(definition) } as unknown as McpTool;
}

function describe(definition: ToolCommon & { input: z.ZodObject; output: z.ZodObject }): Tool {
  const { name, title, description, effect, input, output, isIdempotent = effect === 'reads' } = definition;
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input, 'input') as Tool['inputSchema'],
    outputSchema: schemaOf(output, 'output') as NonNullable<Tool['outputSchema']>,
    annotations: {
      title,
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'overwrites',
      idempotentHint: isIdempotent,
      openWorldHint: false,
    },
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    // A client may show a schema to a model as it is, so each tool carries its whole description.
    reused: 'inline',
  });
  return rest;
}
