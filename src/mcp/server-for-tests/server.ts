import { createRequestStateCodec, McpServer } from '@modelcontextprotocol/server';
import pino from 'pino';
import { createHttpServer, type Idempotency, type Scope } from '../../kit/http/index.ts';
import { type ChangedList, mcpRoutes } from '../index.ts';
import { createMcpTransport } from '../transport/transport.ts';
import { addAskingTools } from './asking-tools.ts';
import { addContentTools, text } from './content-tools.ts';
import { addPrompts, addResources } from './listings.ts';
import { addReturningTools, type State } from './returning-tools.ts';

/** The transport of the tool server behind its real HTTP server, with the tools that the conformance suite calls. */
export async function startFixtureServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const log = pino({ level: 'silent' });
  const listeners = new Set<(list: ChangedList) => void>();
  const state = createRequestStateCodec<State>({ key: 'a key for a server that lives for a few seconds' });

  function build(): McpServer {
    const server = new McpServer(
      { name: 'conformance-fixture', version: '1.0.0' },
      { capabilities: { logging: {}, resources: { subscribe: true } }, requestState: { verify: state.verify } },
    );
    addContentTools(server);
    addAskingTools(server);
    addReturningTools(server, state);
    addResources(server);
    addPrompts(server);
    for (const list of ['tool', 'prompt'] as const) {
      server.registerTool(`test_trigger_${list}_change`, { description: `Says that the ${list}s have changed` }, () => {
        for (const listener of listeners) listener(`${list}s`);
        return text('said');
      });
    }
    return server;
  }

  const transport = createMcpTransport({
    build,
    log,
    async watch(_caller, { onChange }) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
  });
  const scope = { principal: 'fixture', permissions: new Set(['mcp:use']) } as unknown as Scope;
  const http = createHttpServer({
    routes: mcpRoutes(transport),
    authenticate: () => scope,
    log,
    idempotency: undefined as unknown as Idempotency,
  });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  return { url: `${url}/mcp`, stop: () => http.drain(0) };
}
