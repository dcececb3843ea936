import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Logger } from '../../kit/base/log.ts';
import type { Scope } from '../../kit/http/index.ts';
import { explainError } from '../explain-error.ts';
import type { McpTool } from './tool.ts';

type Call = { name: string; arguments?: Record<string, unknown> | undefined };

/** Failures are part of the result, where the model sees them and can correct its arguments. */
export async function callTool(
  tools: readonly McpTool[],
  scope: Scope,
  { name, arguments: given = {} }: Call,
  log: Logger,
): Promise<CallToolResult> {
  const tool = tools.find(({ listed }) => listed.name === name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool '${name.slice(0, 100)}'.`);
  if (!scope.permissions.has(tool.permission)) {
    return failure(`Permission denied: this key lacks the permission '${tool.permission}', which ${name} needs.`);
  }
  const parsed = tool.parse(given);
  if ('problem' in parsed) return failure(`The arguments are not valid.\n${parsed.problem}`);
  try {
    const result = await tool.run(scope, parsed.input);
    return {
      content: tool.show?.(result) ?? [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: result,
    };
  } catch (error) {
    const { kind, message } = explainError(error, log);
    return failure(kind === 'forbidden' ? `Permission denied: ${message}` : message);
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
