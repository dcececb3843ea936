import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './cleanup.ts';

export type OlderMcp = {
  url: string;
  /** `host:port`. */
  place: string;
  /** The open streams by the id of their session. */
  streams: Map<string, ServerResponse>;
  opened: number;
  calls: number;
  /** Where the messages are to be sent; by default here. */
  endpoint: string | undefined;
  /** The token that every request must have. */
  token: string | undefined;
};

/** A scripted MCP server that knows only the transport of 2024: one stream of events, and messages beside it. */
export async function startOlderMcp(): Promise<OlderMcp> {
  const server = createServer(async (request, response) => {
    if (older.token && request.headers.authorization !== `Bearer ${older.token}`) return response.writeHead(401).end();
    const url = new URL(request.url ?? '', older.url);
    if (request.method === 'GET' && url.pathname === '/sse') {
      const id = randomUUID();
      older.streams.set(id, response);
      older.opened += 1;
      request.once('close', () => older.streams.delete(id));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(`event: endpoint\ndata: ${older.endpoint ?? '/messages'}?session=${id}\n\n`);
    }
    if (url.pathname !== '/messages') return response.writeHead(405).end();
    const stream = older.streams.get(url.searchParams.get('session') ?? '');
    if (!stream) return response.writeHead(404).end();
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString());
    response.writeHead(202).end();
    const result = answer(message);
    if (result) stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`);
  });

  function answer({ method, params }: { method: string; params: { arguments: { text: string } } }) {
    if (method === 'initialize')
      return {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'older', version: '1' },
      };
    if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
    if (method !== 'tools/call') return undefined;
    older.calls += 1;
    return { content: [{ type: 'text', text: `You said ${params.arguments.text}` }] };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const older: OlderMcp = {
    url: `http://${place}/sse`,
    place,
    streams: new Map(),
    opened: 0,
    calls: 0,
    endpoint: undefined,
    token: undefined,
  };
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return older;
}
