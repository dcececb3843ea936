import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client';
import { createSecretHider, type SecretHider } from '../kit/base/hide-secrets.ts';
import { boundedValidator } from './bounded-validator.ts';
import { loadClientLibrary } from './client-library.ts';
import type { Wire } from './wires.ts';

type Prior = NonNullable<NonNullable<Parameters<Client['connect']>[1]>['prior']>;

/** The protocol generation of a server, learned once and reused for the next session. */
export type Era = Prior | { kind: 'older transport' };

export type Session = {
  /** Absent where there is no choice of protocol. */
  era: Era | undefined;
  server: { name: string; version: string } | undefined;
  protocolVersion: string | undefined;
  listTools(signal: AbortSignal): Promise<{ tools: Tool[]; ttlMs?: unknown }>;
  callTool(tool: Tool, given: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  /** False once nothing can come any more: a response was cut off, or the other side is gone. */
  isUsable(): boolean;
  /** Between two users of a kept session: starts the count of bytes anew. */
  renew(): void;
  close(): Promise<void>;
};

export type SessionOptions = {
  version: string;
  era: Prior | undefined;
  /** For every request of this session, the handshake included. */
  timeoutMs: number;
  /** How long a program that may not know the question is asked for its generation. */
  probeMs?: number | undefined;
  /** What a server may repeat in what clients read: it is replaced. */
  secrets: readonly string[];
  signal: AbortSignal;
};

const PAGES_MAX = 16;
const CLOSE_TIMEOUT_MS = 2000;

/** Opens an MCP session, in either generation of the protocol. */
export async function openSession(wire: Wire, options: SessionOptions): Promise<Session> {
  const { version, era, timeoutMs, probeMs = timeoutMs, secrets, signal } = options;
  const library = await loadClientLibrary();
  const client = new library.Client(
    { name: 'tramontane', version },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
      listMaxPages: PAGES_MAX,
      jsonSchemaValidator: boundedValidator,
    },
  );
  const limits = (given: AbortSignal) => ({
    timeout: timeoutMs,
    maxTotalTimeout: timeoutMs,
    signal: AbortSignal.any([given, wire.signal]),
  });
  const hide: SecretHider = createSecretHider(secrets);
  const hiding = <T>(response: Promise<T>): Promise<T> =>
    response.then(hide.value, (error: unknown) => {
      throw hide.error(wire.signal.aborted ? wire.signal.reason : error);
    });
  try {
    await hiding(client.connect(wire.transport, { ...limits(signal), ...(era ? { prior: era } : {}) }));
  } catch (error) {
    await client.close();
    throw error;
  }
  const discover = client.getDiscoverResult();
  return {
    era: discover ? { kind: 'modern', discover } : { kind: 'legacy' },
    server: client.getServerVersion(),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    listTools: (given) => hiding(client.listTools(undefined, { ...limits(given), cacheMode: 'bypass' })),
    callTool: ({ outputSchema: _output, ...toolDefinition }, arguments_, given) =>
      // Without outputSchema, which the library would enforce on results that the model can read anyway.
      hiding(
        client.callTool({ name: toolDefinition.name, arguments: arguments_ }, { ...limits(given), toolDefinition }),
      ),
    isUsable: () => !wire.signal.aborted,
    renew: wire.renew,
    async close() {
      await Promise.race([
        wire.end().catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref()),
      ]);
      await client.close();
    },
  };
}
