import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './cleanup.ts';

type Message = { id?: number | string; method: string; params?: Record<string, unknown> };
type Tool = { name: string; description?: string; inputSchema?: unknown; [key: string]: unknown };
type Result = Record<string, unknown>;

export type FakeMcp = {
  url: string;
  /** `host:port`. */
  place: string;
  tools: Tool[];
  /** How long clients may cache the list, according to the server. */
  ttlMs: number | undefined;
  /** Every request as received. */
  seen: { method: string; headers: IncomingMessage['headers'] }[];
  calls: { name: string; arguments: Record<string, unknown> }[];
  /** Whether results come as a stream of events, after an unrelated one. */
  streams: boolean;
  sessions: Set<string>;
  /** The result of a tool call; a promise delays it. */
  answer(call: FakeMcp['calls'][number]): Result | Promise<Result>;
  /** Responds in place of the protocol. */
  instead: ((request: IncomingMessage, response: ServerResponse, message: Message | undefined) => boolean) | undefined;
  close(): Promise<void>;
};

/** Undefined for bodies of other protocols, which `instead` answers. */
function readMessage(text: string): Message | undefined {
  return text.startsWith('{') ? (JSON.parse(text) as Message) : undefined;
}

const schema = { type: 'object', properties: { text: { type: 'string' } } };

/** A scripted MCP server of the 2025 protocol with sessions, at the network border. */
export async function startFakeMcp(tools: Tool[] = [{ name: 'echo', description: 'Say it again' }]): Promise<FakeMcp> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => void handle(request, response, readMessage(text)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeMcp = {
    url: `http://${place}/mcp`,
    place,
    tools,
    ttlMs: undefined,
    seen: [],
    calls: [],
    streams: false,
    sessions: new Set(),
    answer: ({ arguments: { text } }) => ({ content: [{ type: 'text', text: `You said ${text}` }] }),
    instead: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  atEnd(() => fake.close());

  async function handle(request: IncomingMessage, response: ServerResponse, message: Message | undefined) {
    fake.seen.push({ method: message?.method ?? request.method ?? '', headers: request.headers });
    if (fake.instead?.(request, response, message)) return;
    const session = request.headers['mcp-session-id'] as string | undefined;
    if (request.method === 'DELETE') {
      fake.sessions.delete(session ?? '');
      return response.writeHead(204).end();
    }
    if (!message) return response.writeHead(405).end();
    const reply = (part: object, headers: Record<string, string> = {}) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...part }));
    if (message.method === 'initialize') {
      const id = randomUUID();
      fake.sessions.add(id);
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'fake', version: '1' },
      };
      return reply({ result }, { 'mcp-session-id': id });
    }
    if (message.method === 'server/discover') return reply({ error: { code: -32601, message: 'Method not found' } });
    if (!session || !fake.sessions.has(session)) return response.writeHead(404).end('no session');
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === 'tools/list')
      return reply({
        result: { tools: fake.tools.map((tool) => ({ inputSchema: schema, ...tool })), ttlMs: fake.ttlMs },
      });
    const call = { name: '', arguments: {}, ...message.params } as FakeMcp['calls'][number];
    fake.calls.push({ name: call.name, arguments: call.arguments });
    const result = await fake.answer(call);
    if (!fake.streams) return reply({ result });
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };
    const events = [progress, { jsonrpc: '2.0', id: message.id, result }];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end(events.map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  }
  return fake;
}
