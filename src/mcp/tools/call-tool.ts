import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError, type Scope, ValidationFailed } from '../../kit/http/index.ts';
import type { McpTool } from './tool.ts';

/** What the model is to know stands in the result: it can mend its arguments, and nothing else can. */
export async function callTool(
  tools: readonly McpTool[],
  scope: Scope,
  { name, arguments: given }: { name: string; arguments?: Record<string, unknown> | undefined },
  log: Logger,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool '${name.slice(0, 100)}'.`);
  if (!scope.permissions.has(tool.permission)) {
    return failure(
      `Permission denied: the tool '${name}' needs the permission '${tool.permission}', and this key lacks it.`,
    );
  }
  const input = tool.input.safeParse(given ?? {});
  if (!input.success) return failure(`The arguments are not valid.\n${z.prettifyError(input.error)}`);
  try {
    const result = await tool.run(scope, input.data);
    return {
      content: tool.show?.(result) ?? [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: result,
    };
  } catch (error) {
    return failure(describe(error, log));
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function describe(error: unknown, log: Logger): string {
  if (error instanceof ApiError && error.status < 500) {
    return error.status === 403 ? `Permission denied: ${error.message}` : error.message;
  }
  if (error instanceof ValidationFailed) {
    return error.items.map(({ loc, msg }) => `${loc.filter((part) => part !== 'body').join('.')}: ${msg}`).join('\n');
  }
  log.error({ err: error }, 'A tool failed.');
  return 'Something went wrong on our side. Report the request id to the operator.';
}
