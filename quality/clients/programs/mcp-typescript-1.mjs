// MCP SDK for TypeScript, version 1
// install: npm @modelcontextprotocol/sdk@1.32.2
// checks: mcp, connectors

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

async function connect(path) {
  const client = new Client({ name: 'my-client', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${process.env.TRAMONTANE_API_KEY}` } };
  const url = new URL(`${process.env.TRAMONTANE_URL}${path}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

const client = await connect('/mcp');
const { tools } = await client.listTools();
console.log('mcp:', tools.map(({ name }) => name).join(', '));
await client.close();
// ---
const connector = await connect('/v1/connectors-gateway/winds/mcp');
const result = await connector.callTool({ name: 'wind_of', arguments: { place: 'Perpignan' } });
console.log('connectors:', result.content[0].text);
await connector.close();
