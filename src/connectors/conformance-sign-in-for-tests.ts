import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/config.ts';
import { startServer } from '../main.ts';

// What the official suite runs for its sign-in scenarios: a whole server with a stored connector at the address in the last
// argument, and somebody who lists and calls the tools, and signs in whenever that is refused.
type Context = { client_id?: string; client_secret?: string };
type Answer = { status: number; body: Record<string, unknown> & { name?: string }[] };

const SIGN_INS_MAX = 2;
/** Of the suite: a client that uses documents as its ids must use this one. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json';
const KEY = 'the-key-of-the-conformance-client-0123456789';

const address = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context;
const directory = mkdtempSync(join(tmpdir(), 'tramontane-conformance-client-'));
const file = join(directory, 'tramontane.yaml');
writeFileSync(file, JSON.stringify({ models: [], outbound: { allow: ['localhost', '127.0.0.0/8', '::1'] } }));
const server = await startServer(
  loadConfig({
    TRAMONTANE_PORT: '0',
    TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
    TRAMONTANE_DATA_DIR: join(directory, 'data'),
    TRAMONTANE_CONFIG: file,
    TRAMONTANE_CONSOLE: 'off',
    TRAMONTANE_LOG_LEVEL: 'warn',
    TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
  }),
);

async function ask(path: string, method = 'GET', body?: object): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/connectors${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** Whether every tool could be listed and called. A tool that fails is no failure of the client. */
async function useAll(): Promise<boolean> {
  const listed = await ask('/suite/tools?refresh=true');
  if (listed.status !== 200) return false;
  for (const { name } of listed.body)
    if ((await ask(`/suite/tools/${name}/call`, 'POST', { arguments: {} })).status !== 200) return false;
  return true;
}

/** As a browser does it: the suite agrees to everything. */
async function signIn(): Promise<boolean> {
  const { status, body } = await ask('/suite/auth_url');
  if (status !== 200) return false;
  const page = await fetch(String(body.auth_url), { redirect: 'manual' });
  const back = page.headers.get('location');
  return back !== null && (await fetch(back)).status === 200;
}

async function create(): Promise<void> {
  const connector = { name: 'suite', description: 'x', server: address };
  const { client_id, client_secret } = context;
  const given = scenario === 'auth/basic-cimd' ? { client_id: CLIENT_DOCUMENT } : { client_id, client_secret };
  const isMachine = scenario.startsWith('auth/client-credentials');
  await ask('', 'POST', { ...connector, ...(given.client_id && !isMachine ? { auth_data: given } : {}) });
  if (!isMachine) return;
  const [method] = (await ask('/suite/authentication_methods')).body as { oauth2_server_metadata?: object }[];
  const grant = {
    method_type: 'oauth2',
    grant_type: 'client_credentials',
    oauth2_server_metadata: method?.oauth2_server_metadata,
    token_endpoint_auth_method: 'client_secret_basic',
  };
  await ask('/suite', 'PATCH', { auth_methods: [grant] });
  const oauth = { grant_type: 'client_credentials', client_id, client_secret };
  await ask('/suite/user/credentials', 'POST', { name: 'main', credentials: { oauth } });
}

try {
  await create();
  let isDone = await useAll();
  for (let signIns = 0; !isDone && signIns < SIGN_INS_MAX && (await signIn()); signIns++) isDone = await useAll();
  process.exitCode = isDone ? 0 : 1;
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
