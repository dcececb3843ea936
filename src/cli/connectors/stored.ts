import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFailure } from '../../operator/command-failure.ts';
import { openApi } from '../shell/api-client.ts';
import { type Context, type ExitCode, UsageError } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';

type Connector = {
  id: string;
  name: string;
  protocol: string;
  visibility: string;
  active: boolean;
  is_authenticated: boolean | null;
  description: string;
};
type Credentials = { credentials: { name: string; status: { status_type: string } | null }[] };
type Tool = { name: string; description: string | null };
type Result = { content: { type: string; text?: string }[]; metadata: { mcp_meta: { isError: boolean } } };

const LOOK_MS = 1000;

const pathOf = (name: string) => `/v1/connectors/${encodeURIComponent(name)}`;

export async function listStored(context: Context): Promise<undefined> {
  const items = await listAll(context);
  const rows = items.map(({ name, protocol, visibility, active, is_authenticated, description }) => [
    name,
    protocol,
    visibility,
    active ? 'yes' : 'no',
    is_authenticated === null ? '?' : is_authenticated ? 'yes' : 'no',
    description.slice(0, 60),
  ]);
  const header = ['NAME', 'KIND', 'VISIBILITY', 'ACTIVE', 'SIGNED IN', 'DESCRIPTION'];
  const none = 'This key sees no connectors. Add one: npx tramontane connectors add <name> <url>';
  context.output.result({ connectors: items }, formatTable(header, rows, none));
}

export async function testStored(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const api = openApi(context);
  const only = args.text('id');
  const names = only === undefined ? (await listAll(context)).map(({ name }) => name) : [only];
  const tested: { name: string; error: string | null; tools: string[] }[] = [];
  for (const name of names)
    tested.push(
      await api.get<Tool[]>(`${pathOf(name)}/tools?refresh=true&page_size=1000`).then(
        (tools) => ({ name, error: null, tools: tools.map((tool) => tool.name) }),
        (error: Error) => ({ name, error: error.message, tools: [] }),
      ),
    );
  const lines = tested.map(({ name, error, tools }) =>
    error === null
      ? `${output.styled('green', 'ok')}    ${name}: ${tools.length} tools`
      : `${output.styled('red', 'fail')}  ${name}: ${error}`,
  );
  output.result({ connectors: tested }, lines.join('\n') || 'This key sees no connectors.');
  return tested.every(({ error }) => error === null) ? 0 : 1;
}

export async function add(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const [name, server, document] = [args.parameter('name'), args.parameter('url'), args.text('openapi')];
  const share = args.text('share');
  const { data } = await api.send<Connector>('POST', '/v1/connectors', {
    name,
    server,
    description: args.text('description') ?? name,
    protocol: document === undefined ? 'mcp' : 'http',
    visibility: share === undefined ? 'private' : share === 'organization' ? 'shared_org' : 'shared_workspace',
  });
  if (document !== undefined) await api.send('PUT', `${pathOf(data.id)}/openapi`, readDocument(document));
  output.result(data, `Added ${name} (${data.id}). Its tools: npx tramontane connectors tools ${name}`);
}

export async function login(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const name = args.parameter('name');
  const credentialsName = args.text('credentials') ?? 'default';
  const scope = args.text('scope') ?? 'user';
  const credentials = readCredentials(context);
  if (credentials) {
    const body = { name: credentialsName, is_default: true, credentials };
    const { data } = await api.send<{ message: string }>('POST', `${pathOf(name)}/${scope}/credentials`, body);
    output.result(data, data.message);
    return;
  }
  if (scope !== 'user') throw new UsageError('A sign-in with the browser is for the user: leave --scope out.');
  const query = new URLSearchParams({ credentials_name: credentialsName });
  const { auth_url, ttl } = await api.get<{ auth_url: string; ttl: number }>(`${pathOf(name)}/auth_url?${query}`);
  const before = await readStatus();
  output.note(`Open this address in your browser, within ${ttl / 60} minutes:\n\n  ${auth_url}\n`);
  for (let left = ttl * 1000; left > 0; left -= LOOK_MS) {
    await pause(LOOK_MS);
    const status = await readStatus();
    if (status !== undefined && status.text !== before?.text && status.isValid) {
      output.result({ connector: name, credentials: credentialsName }, `Signed in to ${name}.`);
      return;
    }
  }
  throw new CommandFailure('Nobody signed in in time. Try again.');

  async function readStatus() {
    const path = `${pathOf(name)}/user/credentials`;
    const found = (await api.get<Credentials>(path)).credentials.find((one) => one.name === credentialsName);
    return found && { text: JSON.stringify(found), isValid: found.status?.status_type === 'valid' };
  }
}

export async function tools(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const path = pathOf(args.parameter('name'));
  const listed = await api.get<Tool[]>(`${path}/tools?page_size=1000${credentialsOf(context)}`);
  const { tools: reviewed } = await api.get<{ tools: { name: string; status: string }[] }>(`${path}/tools/review`);
  const held = reviewed.filter(({ status }) => status === 'held').map(({ name }) => name);
  const rows = [
    ...listed.map(({ name, description }) => [name, 'yes', (description ?? '').split('\n', 1).join().slice(0, 80)]),
    ...held.map((name) => [name, 'held', 'its server changed it: look at it in the console, or at tools/review']),
  ];
  output.result({ tools: listed, held }, formatTable(['NAME', 'OFFERED', 'DESCRIPTION'], rows, 'It has no tools.'));
}

export async function call(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const path = `${pathOf(args.parameter('name'))}/tools/${encodeURIComponent(args.parameter('tool'))}/call`;
  const query = credentialsOf(context).replace('&', '?');
  const { data } = await openApi(context).send<Result>('POST', `${path}${query}`, {
    arguments: readArguments(context),
  });
  const text = data.content.map((part) => part.text ?? `[${part.type}]`).join('\n');
  output.result(data, text || '[no output]');
  return data.metadata.mcp_meta.isError ? 1 : 0;
}

export async function remove(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const { id } = await api.get<Connector>(pathOf(args.parameter('name')));
  const response = await api.fetch(pathOf(id), { method: 'DELETE' });
  const data = (await response.json()) as { message: string };
  output.result(data, data.message);
}

async function listAll(context: Context): Promise<Connector[]> {
  const api = openApi(context);
  const found: Connector[] = [];
  for (let cursor = ''; ; ) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    type Page = { items: Connector[]; pagination: { next_cursor: string | null } };
    const page = await api.get<Page>(`/v1/connectors?page_size=1000${query}`);
    found.push(...page.items);
    cursor = page.pagination.next_cursor ?? '';
    if (cursor === '') return found;
  }
}

function credentialsOf({ args }: Context): string {
  const name = args.text('credentials');
  return name === undefined ? '' : `&credentials_name=${encodeURIComponent(name)}`;
}

function readDocument(given: string): { url: string } | { document: unknown } {
  if (/^https?:\/\//.test(given)) return { url: given };
  if (!existsSync(given)) throw new CommandFailure(`${given} is neither an address nor a file.`);
  try {
    return { document: JSON.parse(readFileSync(given, 'utf8')) };
  } catch (cause) {
    throw new CommandFailure(`${given} is not JSON. Convert a YAML document first.`, { cause });
  }
}

/** From variables, because other users of the machine see the arguments of a command. */
function readCredentials({ args, environment }: Context) {
  const read = (variable: string) => {
    const value = environment[variable];
    if (!value) throw new UsageError(`The environment has no variable ${variable}.`);
    return value;
  };
  const [bearer, basic, header] = [args.text('bearer'), args.text('basic'), args.text('header')];
  if (bearer !== undefined) return { bearer_token: read(bearer) };
  if (basic !== undefined)
    return { headers: { authorization: `Basic ${Buffer.from(read(basic)).toString('base64')}` } };
  if (header === undefined) return undefined;
  const [name = '', variable = ''] = header.split('=', 2);
  return { headers: { [name]: read(variable) } };
}

function readArguments({ args }: Context): unknown {
  try {
    return JSON.parse(args.text('arguments') ?? '{}');
  } catch {
    throw new UsageError('--arguments must be a JSON object.');
  }
}
