import type { Tool } from '@modelcontextprotocol/client';
import { ApiError } from '../kit/http/index.ts';
import { explain, isGone } from './explain.ts';
import type { Session } from './open-session.ts';
import { readResult } from './read-result.ts';
import type { ConnectorConfig, ConnectorResult, ConnectorTool } from './schema.ts';

/** A connector as one run uses it. Its session is opened by the first call and is nobody else's. */
export type Connection = {
  id: string;
  tools: ConnectorTool[];
  /** Throws an ApiError whose sentence the model and the client may read. */
  call(tool: string, given: Record<string, unknown>, signal: AbortSignal): Promise<ConnectorResult>;
  close(): Promise<void>;
};

type Options = {
  connector: ConnectorConfig;
  tools: readonly Tool[];
  open(timeoutMs: number, signal: AbortSignal): Promise<Session>;
  onFailure(error: unknown, tool: string): void;
};

const KIBIBYTE = 1024;

export function createConnection({ connector, tools, open, onFailure }: Options): Connection {
  const { id, timeout_seconds, result_limit_kib } = connector;
  const timeoutMs = timeout_seconds * 1000;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let session: Promise<Session> | undefined;

  async function leave(): Promise<void> {
    const ending = session;
    session = undefined;
    // One that never opened has nothing to close.
    await (await ending?.catch(() => undefined))?.close();
  }

  async function ask(tool: Tool, given: Record<string, unknown>, signal: AbortSignal) {
    const isFresh = session === undefined;
    session ??= open(timeoutMs, signal);
    try {
      return await (await session).callTool(tool, given);
    } catch (error) {
      await leave();
      // A server that has forgotten the session has not run the tool either; any other call may have run.
      if (isFresh || !isGone(error)) throw error;
      session = open(timeoutMs, signal);
      return (await session).callTool(tool, given);
    }
  }

  return {
    id,
    tools: tools.map(toTool),
    async call(name, given, signal) {
      const tool = byName.get(name);
      if (!tool) throw new ApiError(400, `The connector '${id}' has no tool '${name}' any more.`);
      try {
        return readResult(await ask(tool, given, signal), result_limit_kib * KIBIBYTE);
      } catch (error) {
        signal.throwIfAborted();
        onFailure(error, name);
        throw explain(error, id, timeoutMs);
      }
    },
    close: leave,
  };
}

export function toTool({ name, description, inputSchema }: Tool): ConnectorTool {
  return { name, description: description ?? '', parameters: inputSchema as Record<string, unknown> };
}
