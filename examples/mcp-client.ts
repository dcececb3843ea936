// The workspace as tools for any MCP client: writes a skill, finds it again, and reads it.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { apiKey, connect, url } from './connect.ts';

await connect();
const client = new Client({ name: 'tramontane-example', version: '1.0.0' });
const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));

const { tools } = await client.listTools();
console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`);

const skill = `release-notes-${Date.now()}`;
const definition = { description: 'How we write release notes', body: 'Begin with what users notice.' };
await client.callTool({ name: 'create_skill', arguments: { name: skill, definition } });
const { contents } = await client.readResource({ uri: `skill://${skill}/SKILL.md` });
for (const content of contents) if ('text' in content) console.log(content.text);
await client.callTool({ name: 'delete_skill', arguments: { skill } });
await client.close();
