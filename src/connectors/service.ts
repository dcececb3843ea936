import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Outbound } from '../kit/outbound/index.ts';
import { fingerprint, headersFor } from './authorize.ts';
import { bootstrapConnectors } from './bootstrap.ts';
import { createListingCache, type Listing } from './cache-listings.ts';
import { type Connection, createConnection, toTool } from './connection.ts';
import { connectorErrors } from './errors.ts';
import { explainFailure } from './explain-failure.ts';
import { type Era, openSession, type Session } from './open-session.ts';
import { parseTools } from './parse-tools.ts';
import type { Authorization, ConnectorBootstrap, ConnectorConfig, ConnectorTool } from './schema.ts';

export type Inspection = {
  server: { name: string; version: string } | undefined;
  protocolVersion: string | undefined;
  tools: ConnectorTool[];
};

export type ConnectorService = {
  /** The connectors that the workspace may use, in the order of the configuration. */
  list(workspaceId: string): readonly Pick<ConnectorConfig, 'id' | 'description'>[];
  /** The connectors of a workspace with their tools, whether or not they respond. */
  bootstrap(workspaceId: string): Promise<ConnectorBootstrap>;
  /** Throws a 400 for a connector that the workspace does not have, a 502 or 504 for one that cannot be used now. */
  connect(workspaceId: string, id: string, authorization?: Authorization | null): Promise<Connection>;
  /** For the operator: never from the cache. */
  inspect(id: string): Promise<Inspection>;
};

const LIST_TIMEOUT_MS = 10_000;
/** Twice what the tools may have when they are kept. */
const LIST_BYTES_MAX = 8 * 1024 * 1024;
/** Of a run: as many large results as a model can make use of. */
const RUN_BYTES_MAX = 256 * 1024 * 1024;
const TTL_MS = 60_000;
const TTL_MAX_MS = 60 * 60_000;

export function createConnectorService(ports: {
  connectors: readonly ConnectorConfig[];
  outbound: Outbound;
  /** Of this program, for the protocol's handshake. */
  version: string;
  now: Clock;
  log: Logger;
}): ConnectorService {
  const { connectors, outbound, version, now, log } = ports;
  const cache = createListingCache(now);

  function list(workspaceId: string): ConnectorConfig[] {
    return connectors.filter(({ workspaces }) => !workspaces || workspaces.includes(workspaceId));
  }

  function find(workspaceId: string, id: string): ConnectorConfig {
    const usable = list(workspaceId);
    const found = usable.find((connector) => connector.id === id);
    if (found) return found;
    const known = usable.length > 0 ? `There are: ${usable.map((one) => one.id).join(', ')}.` : 'There are none.';
    throw connectorErrors.connector_not_found(`There is no connector '${id}' on this server. ${known}`);
  }

  function open(
    connector: ConnectorConfig,
    headers: Headers,
    era: Era | undefined,
    limits: { timeoutMs: number; bytesMax: number },
    signal: AbortSignal,
  ) {
    return openSession({ url: connector.url, headers, outbound, version, era, ...limits, signal });
  }

  async function inspectWith(connector: ConnectorConfig, headers: Headers) {
    const timeoutMs = Math.min(LIST_TIMEOUT_MS, connector.timeout_seconds * 1000);
    const signal = AbortSignal.timeout(timeoutMs);
    let session: Session | undefined;
    try {
      session = await open(connector, headers, undefined, { timeoutMs, bytesMax: LIST_BYTES_MAX }, signal);
      const { tools, ttlMs } = await session.listTools();
      const { era, server, protocolVersion } = session;
      return { ...(await parseTools(connector.id, tools)), ttlMs: clampTtl(ttlMs), era, server, protocolVersion };
    } catch (error) {
      throw explainFailure(error, connector.id, timeoutMs);
    } finally {
      await session?.close();
    }
  }

  async function listTools(connector: ConnectorConfig, headers: Headers): Promise<Listing> {
    try {
      return await inspectWith(connector, headers);
    } catch (error) {
      log.warn({ err: error, connector: connector.id }, 'a connector could not be used');
      throw error;
    }
  }

  async function connect(workspaceId: string, id: string, given?: Authorization | null): Promise<Connection> {
    const connector = find(workspaceId, id);
    const authorization = given ?? undefined;
    const headers = headersFor(connector, authorization);
    const key = `${id} ${fingerprint(authorization)}`;
    const { tools, leftOut, era } = await cache.get(key, () => listTools(connector, headers));
    return createConnection({
      connector,
      tools,
      leftOut,
      open: (timeoutMs, signal) => open(connector, headers, era, { timeoutMs, bytesMax: RUN_BYTES_MAX }, signal),
      onFailure(error, tool) {
        // The listing may be out of date.
        cache.drop(key);
        log.warn({ err: error, connector: id, tool }, 'a tool of a connector failed');
      },
    });
  }

  return {
    list,
    async inspect(id) {
      const connector = connectors.find((one) => one.id === id);
      if (!connector) throw connectorErrors.connector_not_found(`There is no connector '${id}' in the configuration.`);
      const { server, protocolVersion, tools } = await inspectWith(connector, headersFor(connector, undefined));
      return { server, protocolVersion, tools: tools.map(toTool) };
    },
    connect,
    bootstrap: (workspaceId) => bootstrapConnectors(list(workspaceId), (id) => connect(workspaceId, id)),
  };
}

function clampTtl(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && ttlMs >= 0 ? Math.min(ttlMs, TTL_MAX_MS) : TTL_MS;
}
