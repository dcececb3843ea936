const KEY = 'TRAMONTANE_API_KEY';
const INPUT = 'tramontane-key';

type McpClient = { id: string; name: string; file: string; snippet: (url: string) => string };

const json = (value: unknown) => JSON.stringify(value, null, 2);
const bearer = (variable: string) => ({ Authorization: `Bearer ${variable}` });

/** What to paste where. The key stays in the variable, or is asked for by the client. */
export const clients: readonly McpClient[] = [
  {
    id: 'claude',
    name: 'Claude Code',
    file: '.mcp.json',
    snippet: (url) => json({ mcpServers: { tramontane: { type: 'http', url, headers: bearer(`\${${KEY}}`) } } }),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    file: '.cursor/mcp.json',
    snippet: (url) => json({ mcpServers: { tramontane: { url, headers: bearer(`\${env:${KEY}}`) } } }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    file: '.vscode/mcp.json',
    snippet: (url) =>
      json({
        inputs: [{ type: 'promptString', id: INPUT, description: 'API key for Tramontane', password: true }],
        servers: { tramontane: { type: 'http', url, headers: bearer(`\${input:${INPUT}}`) } },
      }),
  },
  {
    id: 'vibe',
    name: 'Mistral Vibe',
    file: '~/.vibe/config.toml',
    snippet: (url) =>
      [
        '[[mcp_servers]]',
        'name = "tramontane"',
        'transport = "streamable-http"',
        `url = "${url}"`,
        `api_key_env = "${KEY}"`,
        'api_key_header = "Authorization"',
        'api_key_format = "Bearer {token}"',
      ].join('\n'),
  },
  {
    id: 'other',
    name: 'Other client',
    file: 'streamable HTTP',
    snippet: (url) => `${url}\nAuthorization: Bearer <key>`,
  },
];
