import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Logger } from '../../kit/base/log.ts';
import type { Scope } from '../../kit/http/index.ts';
import { explain } from '../explain.ts';
import type { McpTool } from './tool.ts';

type Call = { name: string; arguments?: Record<string, unknown> | undefined };

/** What the model is to know stands in the result: it can mend its arguments, and nothing else can. */
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
  const read = tool.read(given);
  if ('problem' in read) return failure(`The arguments are not valid.\n${read.problem}`);
  try {
    const result = await tool.run(scope, read.input);
    return {
      content: tool.show?.(result) ?? [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: result,
    };
  } catch (error) {
    const { kind, message } = explain(error, log);
    return failure(kind === 'forbidden' ? `Permission denied: ${message}` : message);
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
