import { type CallToolResult, Client, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client';
import { createSecretHider } from '../kit/base/hide-secrets.ts';
import type { Outbound } from '../kit/outbound/index.ts';
import { credentialsIn } from './authorize.ts';
import { createGuardedFetch } from './guarded-fetch.ts';

type Prior = NonNullable<NonNullable<Parameters<Client['connect']>[1]>['prior']>;

/** Which of the two eras a server speaks, learned once and used again for the next session. */
export type Era = Prior;

export type Session = {
  era: Era;
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
  signal: AbortSignal;
};

const PAGES_MAX = 16;
const FAREWELL_MS = 2000;

/** A session of the Model Context Protocol over streamable HTTP, whichever era the server speaks. */
export async function openSession(options: Options): Promise<Session> {
  const { url, headers, outbound, version, era, timeoutMs, signal } = options;
  const client = new Client(
    { name: 'tramontane', version },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs } }, listMaxPages: PAGES_MAX },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: createGuardedFetch(outbound),
  });
  const limits = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
  // Clients read what a server says, and its credentials are the operator's: what it repeats of them is taken out.
  const hide = createSecretHider(credentialsIn(url, headers));
  const hiding = <T>(asked: Promise<T>): Promise<T> =>
    asked.then(hide.value, (error: unknown) => {
      throw hide.error(error);
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
      // Without the schema of the output, which would be compiled only to refuse what the model could still read.
      hiding(client.callTool({ name: toolDefinition.name, arguments: given }, { ...limits, toolDefinition })),
    async close() {
      const farewell = transport.sessionId === undefined ? undefined : transport.terminateSession();
      // A server that does not take its leave is not waited for.
      await Promise.race([farewell?.catch(() => undefined), new Promise((r) => setTimeout(r, FAREWELL_MS).unref())]);
      await client.close();
    },
  };
}
