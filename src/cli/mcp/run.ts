import { CommandFailure } from '../../operator/command-failure.ts';
import { DEFAULT_URL, trimSlashes } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';

const NAME = 'tramontane';
const KEY_VARIABLE = 'TRAMONTANE_API_KEY';
const INPUT = 'tramontane-key';

type Snippet = { file: string; snippet: string };
/** Without `key` the snippet refers to the client's own secret store. */
type WriteSnippet = (url: string, key: string | undefined) => Snippet;

/** The configuration format of each client. */
const clients: Record<string, WriteSnippet> = {
  claude: (url, key) => ({
    file: '.mcp.json',
    snippet: json({ mcpServers: { [NAME]: { type: 'http', url, headers: bearer(key ?? `\${${KEY_VARIABLE}}`) } } }),
  }),
  cursor: (url, key) => ({
    file: '.cursor/mcp.json',
    snippet: json({ mcpServers: { [NAME]: { url, headers: bearer(key ?? `\${env:${KEY_VARIABLE}}`) } } }),
  }),
  vscode: (url, key) => ({
    file: '.vscode/mcp.json',
    snippet: json({
      ...(key === undefined ? { inputs: [promptFor(INPUT)] } : {}),
      servers: { [NAME]: { type: 'http', url, headers: bearer(key ?? `\${input:${INPUT}}`) } },
    }),
  }),
  vibe: (url, key) => ({
    file: '~/.vibe/config.toml',
    snippet: [
      '[[mcp_servers]]',
      `name = ${JSON.stringify(NAME)}`,
      'transport = "streamable-http"',
      `url = ${JSON.stringify(url)}`,
      ...(key === undefined
        ? [`api_key_env = "${KEY_VARIABLE}"`, 'api_key_header = "Authorization"', 'api_key_format = "Bearer {token}"']
        : [`headers = { "Authorization" = ${JSON.stringify(`Bearer ${key}`)} }`]),
    ].join('\n'),
  }),
};

export async function printMcpConfig({ args, environment, output }: Context): Promise<undefined> {
  const client = args.parameter('client');
  const base = args.text('url') ?? environment.TRAMONTANE_URL ?? environment.TRAMONTANE_PUBLIC_URL ?? DEFAULT_URL;
  const key = args.flag('with-key') ? environment[KEY_VARIABLE] : undefined;
  if (args.flag('with-key') && !key) {
    throw new CommandFailure(`Set ${KEY_VARIABLE} to the key to include. Create one: npx tramontane keys create`);
  }
  const write = clients[client];
  if (!write) throw new Error(`Unknown client '${client}'.`);
  const { file, snippet } = write(`${trimSlashes(base)}/mcp`, key);
  output.note(`For ${file}${key ? '; it contains your key, so keep it out of git' : ''}:`);
  output.result({ client, file, snippet }, snippet);
}

function bearer(key: string) {
  return { Authorization: `Bearer ${key}` };
}

function promptFor(id: string) {
  return { type: 'promptString', id, description: 'API key for Tramontane', password: true };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
