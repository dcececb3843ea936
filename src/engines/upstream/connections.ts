import { connect as connectPlain, Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { AddressGuard } from '../../kit/outbound/index.ts';
import { HttpConnection } from './http-connection.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** What lies idle beyond this is closed. */
const IDLE_MAX = 256;
const SWEEP_MS = 1000;
const READ_BYTES = 64 * 1024;
const PROBE_MS = 60_000;

/** All connections read into it, one after the other: what is to be kept is copied. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

export type UpstreamConnections = {
  /** A connection for exclusive use until it is given back. Their number is not bounded. */
  take(origin: string): HttpConnection;
  /** Only one whose response has ended well. */
  giveBack(origin: string, connection: HttpConnection): void;
  /** For a body that is a stream: used once, and destroyed by whoever takes it. */
  takeForStream(origin: string): Client;
  /** Whether an address may be reached at all; without a guard every one may. */
  permits(origin: URL): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * One keep-alive pool per origin for all engines. The idle connections lie on a stack, so that the one used last, whose
 * state is still in the processor's cache, is used next.
 */
export function createUpstreamConnections({
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  guard,
}: {
  connectTimeoutMs?: number;
  guard?: AddressGuard;
} = {}): UpstreamConnections {
  // One for all, because it remembers TLS sessions.
  const unguarded = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
  const guarded = new Map<string, buildConnector.connector>();
  const idle = new Map<string, HttpConnection[]>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function idleOf(origin: string): HttpConnection[] {
    let waiting = idle.get(origin);
    if (!waiting) {
      waiting = [];
      idle.set(origin, waiting);
    }
    return waiting;
  }

  function connectorOf(origin: string): buildConnector.connector {
    if (!guard) return unguarded;
    const connector = guarded.get(origin) ?? guard.connectorOf(origin, connectTimeoutMs);
    guarded.set(origin, connector);
    return connector;
  }

  function open(origin: string): HttpConnection {
    const url = new URL(origin);
    return new HttpConnection((onBytes, onConnect) =>
      guard || url.protocol === 'https:'
        ? openThrough(connectorOf(origin), url, onBytes, onConnect)
        : openPlain(url, onBytes, onConnect),
    );
  }

  function openPlain(url: URL, onBytes: OnBytes, onConnect: OnConnect): Socket {
    const socket = connectPlain({
      ...addressOf(url, 80),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          onBytes(readBuffer, length);
          return true;
        },
      },
    });
    const limit = setTimeout(() => socket.destroy(new Error('The connection took too long.')), connectTimeoutMs);
    socket.once('close', () => clearTimeout(limit));
    socket.once('connect', () => {
      clearTimeout(limit);
      onConnect(null);
    });
    return socket;
  }

  function openThrough(connect: buildConnector.connector, url: URL, onBytes: OnBytes, onConnect: OnConnect): Socket {
    const { host, port } = addressOf(url, url.protocol === 'https:' ? 443 : 80);
    const where = { hostname: host, host: url.host, protocol: url.protocol, port: String(port) };
    // The connector returns the socket at once, which its types do not say; for an address that it refuses there is none.
    const socket = connect(where, (...[error]) => process.nextTick(onConnect, error)) as unknown as Socket | undefined;
    socket?.on('data', (bytes: Buffer) => onBytes(bytes, bytes.length));
    return socket ?? new Socket();
  }

  function sweep(): void {
    const nowMs = performance.now();
    let left = 0;
    for (const [origin, waiting] of idle) {
      const kept = waiting.filter((connection) => {
        const isUsable = connection.isUsable(nowMs);
        if (!isUsable) connection.close();
        return isUsable;
      });
      if (kept.length === 0) idle.delete(origin);
      else if (kept.length < waiting.length) idle.set(origin, kept);
      left += kept.length;
    }
    if (left > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    take(origin) {
      const waiting = idleOf(origin);
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        if (next.isUsable()) return next;
        next.close();
      }
      return open(origin);
    },
    giveBack(origin, connection) {
      const waiting = idleOf(origin);
      if (isClosed || waiting.length >= IDLE_MAX || !connection.isUsable()) return connection.close();
      waiting.push(connection);
      timer ??= setInterval(sweep, SWEEP_MS).unref();
    },
    takeForStream: (origin) => new Client(origin, { pipelining: 1, allowH2: false, connect: connectorOf(origin) }),
    permits: async (origin) => guard?.permits(origin) ?? true,
    async close() {
      isClosed = true;
      clearInterval(timer);
      for (const waiting of idle.values()) for (const connection of waiting) connection.close();
      idle.clear();
    },
  };
}

type OnBytes = (bytes: Buffer, length: number) => void;
type OnConnect = (error: Error | null) => void;

function addressOf({ hostname, port }: URL, standard: number): { host: string; port: number } {
  // An address of IPv6 has brackets in a URL only.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port) };
}
