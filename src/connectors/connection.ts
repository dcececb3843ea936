import type { Tool } from '@modelcontextprotocol/client';
import { connectorErrors } from './errors.ts';
import { explainFailure, isGone } from './explain-failure.ts';
import type { Session } from './open-session.ts';
import { parseResult } from './parse-result.ts';
import type { ConnectorConfig, ConnectorResult, ConnectorTool } from './schema.ts';

/** A connector as one run uses it. Its session is opened by the first call and not shared. */
export type Connection = {
  id: string;
  tools: ConnectorTool[];
  /** Names of tools that the connector has, but whose schema takes too much work to check. */
  leftOut: readonly string[];
  /** Throws an ApiError whose message the model and the client may read. */
  call(tool: string, given: Record<string, unknown>, signal: AbortSignal): Promise<ConnectorResult>;
  close(): Promise<void>;
};

type Options = {
  connector: ConnectorConfig;
  tools: readonly Tool[];
  leftOut: readonly string[];
  open(timeoutMs: number, signal: AbortSignal): Promise<Session>;
  onFailure(error: unknown, tool: string): void;
};

const KIBIBYTE = 1024;

export function createConnection({ connector, tools, leftOut, open, onFailure }: Options): Connection {
  const { id, timeout_seconds, result_limit_kib } = connector;
  const timeoutMs = timeout_seconds * 1000;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let session: Promise<Session> | undefined;

  async function close(): Promise<void> {
    const ending = session;
    session = undefined;
    await (await ending?.catch(() => undefined))?.close();
  }

  async function callTool(tool: Tool, given: Record<string, unknown>, signal: AbortSignal) {
    const isFresh = session === undefined;
    session ??= open(timeoutMs, signal);
    try {
      return await (await session).callTool(tool, given);
    } catch (error) {
      await close();
      // A server that no longer knows the session has not run the tool; after any other error it may have run.
      if (isFresh || !isGone(error)) throw error;
      session = open(timeoutMs, signal);
      return (await session).callTool(tool, given);
    }
  }

  return {
    id,
    tools: tools.map(toTool),
    leftOut,
    async call(name, given, signal) {
      const tool = byName.get(name);
      if (!tool) throw connectorErrors.connector_tool_not_found(id, name);
      try {
        return parseResult(await callTool(tool, given, signal), result_limit_kib * KIBIBYTE);
      } catch (error) {
        signal.throwIfAborted();
        onFailure(error, name);
        throw explainFailure(error, id, timeoutMs);
      }
    },
    close,
  };
}

export function toTool({ name, description, inputSchema }: Tool): ConnectorTool {
  return { name, description: description ?? '', parameters: inputSchema as Record<string, unknown> };
}
