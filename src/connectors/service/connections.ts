import { createHash } from 'node:crypto';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import { fingerprint, headersFor } from '../authorize.ts';
import { bootstrapConnectors } from '../bootstrap.ts';
import { createListingCache, type Listing } from '../cache-listings.ts';
import { digestTool, type HeldTools } from '../check-tools.ts';
import { type Connection, createConnection, toTool } from '../connection.ts';
import { connectorErrors } from '../errors.ts';
import { explainFailure, isRefusal } from '../explain-failure.ts';
import type { Access } from '../find-access.ts';
import { openHttpSession } from '../http-session.ts';
import { createKeptSessions } from '../keep-sessions.ts';
import { createProgramSessions, type StartProgram } from '../open-program-session.ts';
import { openRemoteSession } from '../open-remote-session.ts';
import type { Era, Session } from '../open-session.ts';
import { parseTools } from '../parse-tools.ts';
import { needsSignIn } from '../refresh-token.ts';
import type {
  Authorization,
  BootstrapQuery,
  ConnectorBootstrap,
  ConnectorConfig,
  ConnectorTool,
} from '../schema/connections.ts';
import type { ToolExecutionConfiguration } from '../schema/connectors.ts';
import type { Consumer } from '../store/tables.ts';
import type { Target } from '../targets.ts';

export type Inspection = {
  server: { name: string; version: string } | undefined;
  protocolVersion: string | undefined;
  tools: ConnectorTool[];
};

/** With whose credentials: the client's own, stored ones of this name, or the nearest stored ones. */
export type ConnectOptions = {
  authorization?: Authorization | null | undefined;
  credentialsName?: string | null | undefined;
  /** Asks the server although the list of tools is known. */
  refresh?: boolean | undefined;
  /** For single calls: the next one of this consumer may use the same session. A run has one of its own. */
  keep?: boolean | undefined;
};

export type ConnectionService = {
  /** All that the consumer sees and that is active, at most `limit`. */
  list(consumer: Consumer, limit?: number): Promise<Target[]>;
  /** Throws a 404 for a connector that the consumer does not see. */
  find(consumer: Consumer, idOrName: string): Promise<Target>;
  /** The connectors of a workspace with their tools, whether or not they respond. */
  bootstrap(consumer: Consumer, query?: BootstrapQuery): Promise<ConnectorBootstrap>;
  /** Throws a 400 for a connector that the workspace does not have, a 502 or 504 for one that cannot be used now. */
  connect(consumer: Consumer, idOrName: string, options?: ConnectOptions): Promise<Connection>;
  /** The same for a connector that was found. */
  use(consumer: Consumer, target: Target, options?: ConnectOptions): Promise<Connection>;
  /** The connector with what is sent to it; throws where the consumer may not use it, or must sign in first. */
  enter(consumer: Consumer, idOrName: string, credentialsName?: string | null): Promise<Entered>;
  /** All tools of a connector, also those that are held back or left out by a preference. */
  listAll(consumer: Consumer, target: Target, options?: ConnectOptions): Promise<Listing>;
  /** For the operator: never from the cache. */
  inspect(id: string): Promise<Inspection>;
  /** Closes sessions that are kept. */
  close(): Promise<void>;
};

export type Entered = { target: Target; access: Access };

/** What is stored about connectors. Commands of the operator work without it. */
export type Stored = {
  find(consumer: Consumer, idOrName: string): Promise<Target | undefined>;
  list(consumer: Consumer, limit: number): Promise<Target[]>;
  access(consumer: Consumer, target: Target, credentialsName?: string | null): Promise<Access>;
  /** Throws where it is deactivated. */
  preferences(consumer: Consumer, target: Target): Promise<ToolExecutionConfiguration[]>;
  check(consumer: Consumer, target: Target, listing: Listing): Promise<HeldTools>;
  onFailure(target: Target, access: Access, error: unknown): Promise<void>;
  onListing(target: Target, error: string | null): Promise<void>;
  /** Counts a call, or one that could not be made. */
  noteUse(consumer: Consumer, target: Target, error?: string): void;
};

const LIST_TIMEOUT_MS = 10_000;
/** With the start of the program. */
const PROGRAM_LIST_TIMEOUT_MS = 30_000;
/** Twice what the tools may have when they are kept. */
const LIST_BYTES_MAX = 8 * 1024 * 1024;
/** Of a run: as many large results as a model can make use of. */
const RUN_BYTES_MAX = 256 * 1024 * 1024;
const TTL_MS = 60_000;
const TTL_MAX_MS = 60 * 60_000;
const BOOTSTRAP_MAX = 100;
/** In place of an organization, for commands. */
const OPERATOR = 'operator';
const NOTHING_HELD: HeldTools = new Set();

export function createConnectionService(ports: {
  connectors: readonly ConnectorConfig[];
  outbound: Outbound;
  /** For connectors that are programs of the operator. */
  startProgram?: StartProgram | undefined;
  /** Of this program, for the protocol's handshake. */
  version: string;
  now: Clock;
  log: Logger;
  stored?: Stored | undefined;
}): ConnectionService {
  const { connectors, outbound, startProgram, version, now, log, stored } = ports;
  const cache = createListingCache(now);
  const kept = createKeptSessions(now);
  const programs = startProgram && createProgramSessions(startProgram, kept.makeRoom);

  const declared = (workspaceId: string): Target[] =>
    connectors
      .filter(({ workspaces }) => !workspaces || workspaces.includes(workspaceId))
      .map((config) => ({ id: config.id, protocol: 'mcp', config, outbound }));

  async function find(consumer: Consumer, id: string): Promise<Target | undefined> {
    if (stored) return stored.find(consumer, id);
    return declared(consumer.workspace_id).find((target) => target.id === id);
  }

  async function list(consumer: Consumer, limit = BOOTSTRAP_MAX): Promise<Target[]> {
    return stored ? stored.list(consumer, limit) : declared(consumer.workspace_id);
  }

  async function findNamed(consumer: Consumer, id: string): Promise<Target> {
    const found = await find(consumer, id);
    if (found) return found;
    const usable = (await list(consumer)).map(({ config }) => config.id);
    const known = usable.length > 0 ? `There are: ${usable.join(', ')}.` : 'There are none.';
    throw connectorErrors.connector_not_found(`There is no connector '${id}' on this server. ${known}`);
  }

  type Opening = { headers: Headers; era: Era | undefined; timeoutMs: number; bytesMax: number; signal: AbortSignal };

  function open(target: Target, organizationId: string, opening: Opening): Promise<Session> {
    const { config, outbound } = target;
    if (target.protocol === 'http') return openHttpSession(target, opening);
    const { stdio } = config;
    if (stdio && programs) return programs.open({ config: { ...config, stdio }, organizationId, version, ...opening });
    return openRemoteSession({ url: config.url, outbound, version, ...opening });
  }

  async function inspectWith(target: Target, organizationId: string, headers: Headers) {
    const { config } = target;
    const longest = config.stdio ? PROGRAM_LIST_TIMEOUT_MS : LIST_TIMEOUT_MS;
    const timeoutMs = Math.min(longest, config.timeout_seconds * 1000);
    const signal = AbortSignal.timeout(timeoutMs);
    let session: Session | undefined;
    try {
      const opening = { headers, era: undefined, timeoutMs, bytesMax: LIST_BYTES_MAX, signal };
      session = await open(target, organizationId, opening);
      const { tools, ttlMs } = await session.listTools(signal);
      const { era, server, protocolVersion } = session;
      const parsed = await parseTools(config.id, tools);
      const digests = new Map(parsed.tools.map((tool) => [tool.name, digestTool(tool)]));
      return { ...parsed, digests, ttlMs: clampTtl(ttlMs), era, server, protocolVersion };
    } catch (error) {
      throw explainFailure(error, config.id, timeoutMs);
    } finally {
      await session?.close();
    }
  }

  async function accessFor(consumer: Consumer, target: Target, options: ConnectOptions): Promise<Access> {
    const { authorization, credentialsName } = options;
    if (authorization)
      return { headers: headersFor(target.config, authorization), fingerprint: fingerprint(authorization) };
    if (stored) return stored.access(consumer, target, credentialsName);
    return { headers: headersFor(target.config, undefined), fingerprint: '' };
  }

  async function listTools(target: Target, consumer: Consumer, access: Access): Promise<Listing> {
    const { organization_id } = consumer;
    let used = access;
    try {
      const listing = await inspectWith(target, organization_id, access.headers).catch(async (error: unknown) => {
        // Once more with a new token, where the server refused the old one.
        const renewed = isRefusal(error) ? await access.renew?.() : undefined;
        if (!renewed) throw error;
        used = renewed;
        return inspectWith(target, organization_id, renewed.headers);
      });
      await stored?.onListing(target, null);
      return listing;
    } catch (error) {
      log.warn({ err: error, connector: target.id }, 'a connector could not be used');
      const message = error instanceof Error ? error.message : 'unknown error';
      // A refusal is about the credentials of one consumer: the server itself responds.
      await stored?.onListing(target, isRefusal(error) ? null : message);
      stored?.noteUse(consumer, target, message);
      await stored?.onFailure(target, used, error);
      if (isRefusal(error) && target.row && !access.row && access.fingerprint === '')
        throw needsSignIn(target, 'its server wants credentials, and there are none for you.');
      throw error;
    }
  }

  const keyOf = ({ id, row }: Target, access: Access) => `${id} ${row?.modified_at ?? ''} ${access.fingerprint}`;

  /** Of a session: the consumer, the connector as it is now, and exactly the credentials that it was opened with. */
  function sessionKey({ organization_id, workspace_id, user_id }: Consumer, target: Target, access: Access): string {
    const sent = createHash('sha256')
      .update(JSON.stringify([...access.headers]))
      .digest('hex');
    return [keyOf(target, access), organization_id, workspace_id, user_id, sent].join(' ');
  }

  async function use(consumer: Consumer, target: Target, options: ConnectOptions = {}): Promise<Connection> {
    const { config } = target;
    const preferences = stored ? await stored.preferences(consumer, target) : [];
    const access = await accessFor(consumer, target, options);
    const key = keyOf(target, access);
    if (options.refresh) cache.drop(key);
    const listing = await cache.get(key, () => listTools(target, consumer, access));
    const held = stored ? await stored.check(consumer, target, listing) : NOTHING_HELD;
    const { leftOut, era } = listing;
    const usable = listing.tools.filter(({ name }) => isOffered(name, preferences) && !held.has(name));
    let current = access;
    return createConnection({
      connector: config,
      tools: usable,
      leftOut,
      held: [...held].filter((name) => isOffered(name, preferences)),
      asks: new Set(preferences.flatMap(({ requires_confirmation }) => requires_confirmation ?? [])),
      instructions: target.row?.system_prompt ?? undefined,
      open: (timeoutMs, signal) =>
        open(target, consumer.organization_id, {
          headers: current.headers,
          era,
          timeoutMs,
          bytesMax: RUN_BYTES_MAX,
          signal,
        }),
      reuse: () => (options.keep ? kept.take(sessionKey(consumer, target, current)) : undefined),
      release: (session) =>
        options.keep ? kept.give(sessionKey(consumer, target, current), session) : session.close(),
      async renew() {
        const renewed = await current.renew?.();
        if (renewed) current = renewed;
        return renewed !== undefined;
      },
      onSuccess: () => stored?.noteUse(consumer, target),
      async onFailure(error, tool, explained) {
        stored?.noteUse(consumer, target, explained.message);
        // The listing may be out of date.
        cache.drop(key);
        log.warn({ err: error, connector: target.id, tool }, 'a tool of a connector failed');
        await stored?.onFailure(target, current, error);
      },
    });
  }

  async function get(consumer: Consumer, id: string): Promise<Target> {
    const found = await find(consumer, id);
    if (!found) throw connectorErrors.connector_absent(id);
    return found;
  }

  return {
    list,
    find: get,
    async enter(consumer, id, credentialsName) {
      const target = await get(consumer, id);
      await stored?.preferences(consumer, target);
      return { target, access: await accessFor(consumer, target, { credentialsName }) };
    },
    async inspect(id) {
      const config = connectors.find((one) => one.id === id);
      if (!config) throw connectorErrors.connector_not_found(`There is no connector '${id}' in the configuration.`);
      const target: Target = { id, protocol: 'mcp', config, outbound };
      const { server, protocolVersion, tools } = await inspectWith(target, OPERATOR, headersFor(config, undefined));
      return { server, protocolVersion, tools: tools.map(toTool) };
    },
    connect: async (consumer, id, options) => use(consumer, await findNamed(consumer, id), options),
    use,
    async listAll(consumer, target, options = {}) {
      const access = await accessFor(consumer, target, options);
      const key = keyOf(target, access);
      if (options.refresh) cache.drop(key);
      return cache.get(key, () => listTools(target, consumer, access));
    },
    bootstrap: async (consumer, query) =>
      bootstrapConnectors(await list(consumer), (target) => use(consumer, target), query),
    close: kept.close,
  };
}

function isOffered(name: string, preferences: readonly ToolExecutionConfiguration[]): boolean {
  return preferences.every(
    ({ include, exclude }) => !exclude?.includes(name) && (!include?.length || include.includes(name)),
  );
}

function clampTtl(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && ttlMs >= 0 ? Math.min(ttlMs, TTL_MAX_MS) : TTL_MS;
}
