import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client';
import { createSecretHider } from '../kit/base/hide-secrets.ts';
import type { Outbound } from '../kit/outbound/index.ts';
import { credentialsIn } from './authorize.ts';
import { boundedValidator } from './bounded-validator.ts';
import { loadClientLibrary } from './client-library.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

type Prior = NonNullable<NonNullable<Parameters<Client['connect']>[1]>['prior']>;

/** The protocol generation of a server, learned once and reused for the next session. */
export type Era = Prior;

export type Session = {
  /** Absent where there is no choice of protocol. */
  era: Era | undefined;
  server: { name: string; version: string } | undefined;
  protocolVersion: string | undefined;
  listTools(): Promise<{ tools: Tool[]; ttlMs?: unknown }>;
  callTool(tool: Tool, given: Record<string, unknown>): Promise<CallToolResult>;
  close(): Promise<void>;
};

type Options = {
  url: string;
  headers: Headers;
  outbound: Outbound;
  version: string;
  era: Era | undefined;
  /** For every request of this session, the handshake included. */
  timeoutMs: number;
  /** Of all responses of the session together. */
  bytesMax: number;
  signal: AbortSignal;
};

const PAGES_MAX = 16;
const CLOSE_TIMEOUT_MS = 2000;

/** Opens an MCP session over streamable HTTP, in either generation of the protocol. */
export async function openSession(options: Options): Promise<Session> {
  const { url, headers, outbound, version, era, timeoutMs, bytesMax, signal } = options;
  const library = await loadClientLibrary();
  const client = new library.Client(
    { name: 'tramontane', version },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs } },
      listMaxPages: PAGES_MAX,
      jsonSchemaValidator: boundedValidator,
    },
  );
  const guarded = createGuardedFetch(outbound, bytesMax);
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: guarded.fetch,
  });
  const limits = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal: AbortSignal.any([signal, guarded.signal]) };
  // A server may repeat the operator's credentials in what clients read: they are replaced.
  const hide = createSecretHider(credentialsIn(url, headers));
  const hiding = <T>(response: Promise<T>): Promise<T> =>
    response.then(hide.value, (error: unknown) => {
      throw hide.error(guarded.signal.aborted ? guarded.signal.reason : error);
    });
  try {
    await hiding(client.connect(transport, { ...limits, ...(era ? { prior: era } : {}) }));
  } catch (error) {
    await client.close();
    throw error;
  }
  const discover = client.getDiscoverResult();
  return {
    era: discover ? { kind: 'modern', discover } : { kind: 'legacy' },
    server: client.getServerVersion(),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    listTools: () => hiding(client.listTools(undefined, { ...limits, cacheMode: 'bypass' })),
    callTool: ({ outputSchema: _output, ...toolDefinition }, given) =>
      // Without outputSchema, which the library would enforce on results that the model can read anyway.
      hiding(client.callTool({ name: toolDefinition.name, arguments: given }, { ...limits, toolDefinition })),
    async close() {
      const terminated = transport.sessionId === undefined ? undefined : transport.terminateSession();
      await Promise.race([
        terminated?.catch(() => undefined),
        new Promise((r) => setTimeout(r, CLOSE_TIMEOUT_MS).unref()),
      ]);
      await client.close();
    },
  };
}
