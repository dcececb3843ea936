import { CommandFailure } from '../../operator/command-failure.ts';
import type { Context, ExitCode } from '../shell/command.ts';

const DEFAULT_URL = 'http://127.0.0.1:4747';
const NAME = 'tramontane';
const KEY_VARIABLE = 'TRAMONTANE_API_KEY';
const INPUT = 'tramontane-key';

type Snippet = { file: string; snippet: string };
/** `key` is the value to write down, or nothing when the client is to take it from where it keeps secrets. */
type Write = (url: string, key: string | undefined) => Snippet;

/** What each client reads, and how it takes a key that does not stand in the file. */
const clients: Record<string, Write> = {
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

/** The lines to paste into a client. The key stays out of them unless it is asked for. */
export async function printMcpConfig({ args, environment, output }: Context): Promise<ExitCode> {
  const client = args.parameter('client');
  const base = args.text('url') ?? environment.TRAMONTANE_URL ?? environment.TRAMONTANE_PUBLIC_URL ?? DEFAULT_URL;
  const key = args.flag('with-key') ? environment[KEY_VARIABLE] : undefined;
  if (args.flag('with-key') && !key) {
    throw new CommandFailure(`Set ${KEY_VARIABLE} to the key to write down. A new one: npx tramontane keys create`);
  }
  const write = clients[client];
  if (!write) throw new Error(`There is no client '${client}' in the table.`);
  const { file, snippet } = write(`${base.replace(/(?<!\/)\/+$/, '')}/mcp`, key);
  output.note(`For ${file}${key ? '; it holds your key, so keep it out of git' : ''}:`);
  output.result({ client, file, snippet }, snippet);
  return 0;
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
