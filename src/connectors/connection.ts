import type { Tool } from '@modelcontextprotocol/client';
import type { ApiError } from '../kit/http/index.ts';
import { connectorErrors } from './errors.ts';
import { explainFailure, isGone, isRefusal } from './explain-failure.ts';
import type { Session } from './open-session.ts';
import { parseResult } from './parse-result.ts';
import type { ConnectorConfig, ConnectorResult, ConnectorTool } from './schema/connections.ts';

/** A connector as one run uses it. Its session is opened by the first call, and shared with nobody else at that time. */
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
  /** A session of an earlier use, if one waits. */
  reuse(): Session | undefined;
  /** Keeps the session for a later use, or closes it. */
  release(session: Session): Promise<void>;
  /** True if the next session has a new token. */
  renew(): Promise<boolean>;
  onSuccess(): void;
  /** `explained` is what the caller is told. */
  onFailure(error: unknown, tool: string, explained: ApiError): Promise<void>;
};

const KIBIBYTE = 1024;

export function createConnection(options: Options): Connection {
  const { connector, tools, leftOut, held, asks, instructions, open, reuse, release, renew } = options;
  const { onSuccess, onFailure } = options;
  const { id, timeout_seconds, result_limit_kib } = connector;
  const timeoutMs = timeout_seconds * 1000;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let session: Promise<Session> | undefined;

  async function end(how: (ending: Session) => Promise<void>): Promise<void> {
    const ending = session;
    session = undefined;
    const opened = await ending?.catch(() => undefined);
    if (opened) await how(opened);
  }

  async function callTool(tool: Tool, given: Record<string, unknown>, signal: AbortSignal) {
    const kept = session ? undefined : reuse();
    const isFresh = !session && !kept;
    session ??= kept ? Promise.resolve(kept) : open(timeoutMs, signal);
    try {
      return await (await session).callTool(tool, given, signal);
    } catch (error) {
      await end((broken) => broken.close());
      // A server that no longer knows the session or the token has not run the tool; after any other error it may have.
      const mayRepeat = (!isFresh && isGone(error)) || (isRefusal(error) && (await renew()));
      if (!mayRepeat) throw error;
      session = open(timeoutMs, signal);
      return (await session).callTool(tool, given, signal);
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
        const result = parseResult(await callTool(tool, given, signal), result_limit_kib * KIBIBYTE);
        onSuccess();
        return result;
      } catch (error) {
        signal.throwIfAborted();
        const explained = explainFailure(error, id, timeoutMs);
        await onFailure(error, name, explained);
        throw explained;
      }
    },
    close: () => end(release),
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
