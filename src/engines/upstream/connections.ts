import { Agent, type Dispatcher } from 'undici';

const KEEP_ALIVE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5000;

export type UpstreamConnections = { dispatcher: Dispatcher; close(): Promise<void> };

/** One keep-alive pool per origin for all engines. Its size is not bounded: each open stream holds a connection. */
export function createUpstreamConnections({ connectTimeoutMs = CONNECT_TIMEOUT_MS } = {}): UpstreamConnections {
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connections: null,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: connectTimeoutMs },
  });
  return { dispatcher: agent, close: () => agent.close() };
}
