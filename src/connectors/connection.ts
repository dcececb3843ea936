import type { Tool } from '@modelcontextprotocol/client';
import { connectorErrors } from './errors.ts';
import { explainFailure, isGone, isRefusal } from './explain-failure.ts';
import type { Session } from './open-session.ts';
import { parseResult } from './parse-result.ts';
import type { ConnectorConfig, ConnectorResult, ConnectorTool } from './schema/connections.ts';

/** A connector as one run uses it. Its session is opened by the first call and not shared. */
export type Connection = {
  id: string;
  tools: ConnectorTool[];
  /** Names of tools that the connector has, but whose schema takes too much work to check. */
  leftOut: readonly string[];
  /** Names of tools that changed since they were trusted, and that nobody has looked at yet. */
  held: readonly string[];
  /** Names of tools that a person must allow for each call. */
  asks: ReadonlySet<string>;
  /** Of the connector's creator, for the model. */
  instructions: string | undefined;
  /** Throws an ApiError whose message the model and the client may read. */
  call(tool: string, given: Record<string, unknown>, signal: AbortSignal): Promise<ConnectorResult>;
  close(): Promise<void>;
};

type Options = {
  connector: ConnectorConfig;
  tools: readonly Tool[];
  leftOut: readonly string[];
  held: readonly string[];
  asks: ReadonlySet<string>;
  instructions: string | undefined;
  open(timeoutMs: number, signal: AbortSignal): Promise<Session>;
  /** True if the next session has a new token. */
  renew(): Promise<boolean>;
  onFailure(error: unknown, tool: string): Promise<void>;
};

const KIBIBYTE = 1024;

export function createConnection(options: Options): Connection {
  const { connector, tools, leftOut, held, asks, instructions, open, renew, onFailure } = options;
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
      // A server that no longer knows the session or the token has not run the tool; after any other error it may have.
      const mayRepeat = (!isFresh && isGone(error)) || (isRefusal(error) && (await renew()));
      if (!mayRepeat) throw error;
      session = open(timeoutMs, signal);
      return (await session).callTool(tool, given);
    }
  }

  return {
    id,
    tools: tools.map(toTool),
    leftOut,
    held,
    asks,
    instructions,
    async call(name, given, signal) {
      const tool = byName.get(name);
      if (held.includes(name)) throw connectorErrors.connector_tool_held(id, name);
      if (!tool) throw connectorErrors.connector_tool_not_found(id, name);
      try {
        return parseResult(await callTool(tool, given, signal), result_limit_kib * KIBIBYTE);
      } catch (error) {
        signal.throwIfAborted();
        await onFailure(error, name);
        throw explainFailure(error, id, timeoutMs);
      }
    },
    close,
  };
}

export function toTool({ name, description, inputSchema, title, annotations }: Tool): ConnectorTool {
  return {
    name,
    description: description ?? '',
    parameters: inputSchema as Record<string, unknown>,
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
