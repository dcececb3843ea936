import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A remote MCP server with one tool, which the server offers as the connector `winds`. */
export async function startConnector(): Promise<{ url: string; stop(): void }> {
  const handler = createMcpHandler(build);
  const server = createServer(async (request, response) => {
    const { method = '', headers } = request;
    const body = method === 'POST' ? { body: await text(request) } : {};
    const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const answer = await handler.fetch(new Request('http://127.0.0.1/mcp', { method, headers: passed, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function build(): McpServer {
  const mcp = new McpServer({ name: 'winds', version: '1.0.0' });
  mcp.registerTool(
    'wind_of',
    { description: 'The wind of a place', inputSchema: z.object({ place: z.string() }) },
    async ({ place }) => ({ content: [{ type: 'text', text: `The tramontane blows in ${place}.` }] }),
  );
  return mcp;
}
