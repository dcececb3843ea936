import { buildConnector, Client } from 'undici';
import type { AddressGuard } from '../../kit/outbound/index.ts';

const KEEP_ALIVE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5000;
/** What lies idle beyond this is closed; the others keep their connection for a while and open it again when needed. */
const IDLE_MAX = 256;

export type UpstreamConnections = {
  /** A connection for exclusive use until it is given back. Their number is not bounded. */
  take(origin: string): Client;
  /** `isUsable` is false when something may still wait in it. */
  giveBack(origin: string, client: Client, isUsable: boolean): void;
  /** Whether an address may be reached at all; without a guard every one may. */
  permits(origin: URL): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * One keep-alive pool per origin for all engines. The idle connections lie on a stack, so that the one used last, whose
 * state is still in the processor's cache, is used next. undici's own pool looks through all of its clients each time and
 * passes an event up through three layers for each that becomes free, which costs more than all we do with an answer.
 */
export function createUpstreamConnections({
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  guard,
}: {
  connectTimeoutMs?: number;
  guard?: AddressGuard;
} = {}): UpstreamConnections {
  // One for all, because it remembers TLS sessions.
  const plain = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
  const guarded = new Map<string, buildConnector.connector>();
  const idle = new Map<string, Client[]>();
  const all = new Set<Client>();

  function idleOf(origin: string): Client[] {
    let clients = idle.get(origin);
    if (!clients) {
      clients = [];
      idle.set(origin, clients);
    }
    return clients;
  }

  function connectorOf(origin: string): buildConnector.connector {
    if (!guard) return plain;
    const connector = guarded.get(origin) ?? guard.connectorOf(origin, connectTimeoutMs);
    guarded.set(origin, connector);
    return connector;
  }

  function open(origin: string): Client {
    const connect = connectorOf(origin);
    const client = new Client(origin, { keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1, allowH2: false, connect });
    all.add(client);
    return client;
  }

  return {
    take: (origin) => idleOf(origin).pop() ?? open(origin),
    giveBack(origin, client, isUsable) {
      const clients = idleOf(origin);
      if (isUsable && clients.length < IDLE_MAX) {
        clients.push(client);
        return;
      }
      all.delete(client);
      // Requests in flight end quietly.
      client.close().catch(() => undefined);
    },
    permits: async (origin) => guard?.permits(origin) ?? true,
    async close() {
      await Promise.all([...all].map((client) => client.close()));
    },
  };
}
