import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst, postgresForTests } from '../../test/support/databases.ts';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { CLIENT, type OAuthServer, type Protected, startOAuthServer } from '../../test/support/oauth-server.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { openKeyring } from '../compose/open-keyring.ts';
import { createLog } from '../kit/base/log.ts';
import { createSecretBox } from '../kit/secrets/index.ts';
import { openSecret } from './seal-credentials.ts';

type Body = Record<string, unknown> & { id: string; auth_url: string; code: string };

let oauth: OAuthServer;
let wiki: FakeMcp;
let resource: Protected;
beforeAll(async () => {
  oauth = await startOAuthServer(['http://127.0.0.1:1/v1/connectors/oauth/callback']);
  wiki = await startFakeMcp();
  resource = oauth.protect(wiki);
});

const ask = async (server: TestServer, path: string, options: Parameters<typeof call>[2] = {}) => {
  const answer = await call(server, `/v1/connectors${path}`, options);
  return { ...answer, body: answer.body as Body };
};
const create = async (server: TestServer, name: string, more: object = {}) =>
  (await ask(server, '', { body: { name, description: 'x', server: wiki.url, ...more } })).body.id;
const begin = async (server: TestServer, id: string, query = '') =>
  (await ask(server, `/${id}/auth_url${query}`)).body.auth_url;
const visit = (url: string) => fetch(url, { redirect: 'manual' });
const connect = async (server: TestServer, id: string, query = '') =>
  visit(await oauth.signIn(await begin(server, id, query)));
const use = (server: TestServer, id: string) => ask(server, `/${id}/tools/echo/call`, { body: {} });
const statusOf = async (server: TestServer, id: string) => {
  const { credentials } = (await ask(server, `/${id}/user/credentials`)).body as unknown as {
    credentials: { status: object }[];
  };
  return credentials[0]?.status;
};
const grants = (type: string) => oauth.tokenRequests.filter((text) => text.includes(`grant_type=${type}`));

// Both databases see the same statements in the test of stored connectors.
onSqliteFirst('a sign-in', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database, { file: { outbound: { allow: [wiki.place, oauth.place] } } });
  });

  it('is found out from the server alone, and its token is for that server', async () => {
    const id = await create(server, 'found');
    expect(await use(server, id)).toMatchObject({ status: 403, body: { code: 'connector_sign_in_required' } });
    expect((await ask(server, `/${id}/authentication_methods`)).body).toMatchObject([
      {
        method_type: 'oauth2',
        grant_type: 'authorization_code',
        oauth2_server_metadata: { issuer: oauth.issuer, x_source: 'autodiscovery', x_resource_url: wiki.url },
      },
      { method_type: 'bearer' },
      { method_type: 'none' },
    ]);
    const url = new URL(await begin(server, id));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: wiki.url,
      scope: 'read offline_access',
      redirect_uri: `${server.url}/v1/connectors/oauth/callback`,
    });
    const page = await visit(await oauth.signIn(url.href));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('You are signed in')]);
    expect((await use(server, id)).status).toBe(200);
    expect(resource.tokens.at(-1)).toMatchObject({ aud: wiki.url, sub: 'someone', scope: 'read' });
    expect((await ask(server, `/${id}`)).body).toMatchObject({
      is_authenticated: true,
      connection_credentials: [{ name: 'default', authentication_type: 'oauth2', status: { status_type: 'valid' } }],
    });
  });

  it('goes back to the application, and says how it went', async () => {
    const id = await create(server, 'returning');
    const back = await connect(
      server,
      id,
      '?app_return_url=https://app.example.com/done%3Fa%3D1&credentials_name=work',
    );
    expect(back.status).toBe(303);
    expect(back.headers.get('location')).toBe(`https://app.example.com/done?a=1&connector=${id}&status=connected`);
    expect((await ask(server, `/${id}/user/credentials`)).body).toMatchObject({ credentials: [{ name: 'work' }] });
    for (const wrong of ['http://app.example.com/', 'javascript:alert(1)', 'https://u:p@app.example.com/', 'x'])
      expect(await ask(server, `/${id}/auth_url?app_return_url=${encodeURIComponent(wrong)}`)).toMatchObject({
        status: 400,
        body: { code: 'connector_return_url_refused' },
      });
  });

  it('with a configured client registers none', async () => {
    const id = await create(server, 'configured', {
      auth_data: CLIENT,
      oauth2_server_metadata_url: `${oauth.issuer}/.well-known/openid-configuration`,
    });
    expect(new URL(await begin(server, id)).searchParams.get('client_id')).toBe(CLIENT.client_id);
  });

  it('counts once: a state that was used, or that nobody made, connects nothing', async () => {
    const id = await create(server, 'replayed');
    const callback = await oauth.signIn(await begin(server, id));
    expect((await visit(callback)).status).toBe(200);
    await ask(server, `/${id}/user/credentials`, { method: 'DELETE' });
    for (const url of [callback, `${server.url}/v1/connectors/oauth/callback?code=x&state=y`]) {
      const page = await visit(url);
      expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('finished already')]);
    }
    expect((await ask(server, `/${id}/user/credentials`)).body).toMatchObject({ credentials: [] });
  });

  it('that comes back from another authorization server, or without its name, connects nothing', async () => {
    const id = await create(server, 'mixed');
    const before = grants('authorization_code').length;
    for (const iss of ['https://evil.example.com', undefined]) {
      const callback = new URL(await oauth.signIn(await begin(server, id)));
      callback.searchParams.delete('iss');
      if (iss) callback.searchParams.set('iss', iss);
      const page = await visit(callback.href);
      expect([page.status, await page.text()]).toEqual([400, expect.not.stringContaining('evil')]);
    }
    expect(grants('authorization_code')).toHaveLength(before);
    expect((await ask(server, `/${id}/user/credentials`)).body).toMatchObject({ credentials: [] });
  });

  it('that the user refuses, or a server that redirects its tokens elsewhere, connects nothing', async () => {
    const id = await create(server, 'refused');
    const state = new URL(await begin(server, id)).searchParams.get('state');
    const iss = encodeURIComponent(oauth.issuer);
    const page = await visit(
      `${server.url}/v1/connectors/oauth/callback?error=access_denied&state=${state}&iss=${iss}`,
    );
    expect(page.status).toBe(400);
    const elsewhere = await startFakeMcp();
    const callback = await oauth.signIn(await begin(server, id));
    oauth.instead = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(307, { location: elsewhere.url }).end();
      return true;
    };
    expect((await visit(callback)).status).toBe(400);
    oauth.instead = undefined;
    expect(elsewhere.seen).toEqual([]);
    expect((await ask(server, `/${id}/user/credentials`)).body).toMatchObject({ credentials: [] });
  });

  it('whose token is for another server is refused there, and the status says so', async () => {
    const id = await create(server, 'audience');
    await connect(server, id);
    resource.audience = 'https://another.example.com/mcp';
    onTestFinished(() => {
      resource.audience = wiki.url;
    });
    expect(await use(server, id)).toMatchObject({ status: 502 });
    expect(await statusOf(server, id)).toMatchObject({ status_type: 'error', error_http_code: 401 });
  });

  it('whose resource is described by another server is not begun', async () => {
    const other = await startFakeMcp();
    other.instead = (request, response) => {
      if (!request.url?.startsWith('/.well-known/oauth-protected-resource')) return false;
      const metadata = { resource: wiki.url, authorization_servers: [oauth.issuer] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return true;
    };
    const allowed = await startTestServer(database, {
      file: { outbound: { allow: [other.place, oauth.place] } },
    });
    const id = (await ask(server, '', { body: { name: 'foreign', description: 'x', server: other.url } })).body.id;
    expect(await ask({ ...allowed, key: server.key }, `/${id}/auth_url`)).toMatchObject({
      status: 400,
      body: { code: 'connector_oauth_unavailable' },
    });
  });

  it('is renewed before its token expires, and needs a new one after it was revoked', async () => {
    const id = await create(server, 'short');
    oauth.ttl = 30;
    await connect(server, id);
    const before = grants('refresh_token').length;
    oauth.ttl = 3600;
    expect((await use(server, id)).status).toBe(200);
    expect((await use(server, id)).status).toBe(200);
    expect(grants('refresh_token')).toHaveLength(before + 1);
    expect(grants('refresh_token').at(-1)).toContain(`resource=${encodeURIComponent(wiki.url)}`);

    oauth.ttl = 30;
    const again = await create(server, 'short-2');
    await connect(server, again);
    oauth.instead = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      return true;
    };
    expect(await use(server, again)).toMatchObject({ status: 403, body: { code: 'connector_sign_in_required' } });
    oauth.instead = undefined;
    oauth.ttl = 3600;
    expect(await statusOf(server, again)).toMatchObject({
      status_type: 'invalid',
      error_message: 'you need to reconnect',
    });
    expect(await use(server, again)).toMatchObject({ status: 403 });
    await connect(server, again);
    expect((await use(server, again)).status).toBe(200);
  });

  it('that gives no refresh token ends when its token expires, and another one begins anew', async () => {
    const id = await create(server, 'expiring');
    onTestFinished(() => void Object.assign(oauth, { ttl: 3600, isRenewable: true }));
    Object.assign(oauth, { ttl: 1, isRenewable: false });
    await connect(server, id);
    Object.assign(oauth, { ttl: 3600, isRenewable: true });
    const before = oauth.tokenRequests.length;
    await vi.waitFor(async () => expect((await use(server, id)).status).toBe(403), { timeout: 20_000, interval: 100 });
    expect(await use(server, id)).toMatchObject({ body: { code: 'connector_sign_in_required' } });
    expect(await statusOf(server, id)).toMatchObject({
      status_type: 'invalid',
      error_message: expect.stringMatching(/^(oauth expired|you need to reconnect)$/),
    });
    expect(oauth.tokenRequests).toHaveLength(before);
    await connect(server, id);
    expect((await use(server, id)).status).toBe(200);
  });

  it('that its user revoked at the authorization server ends here, too', async () => {
    const id = await create(server, 'withdrawn');
    onTestFinished(() => void Object.assign(oauth, { ttl: 3600 }));
    oauth.ttl = 30;
    await connect(server, id);
    oauth.ttl = 3600;
    const row = await server.platform.database.db
      .selectFrom('connector_credentials')
      .selectAll()
      .where('connector_id', '=', id)
      .executeTakeFirstOrThrow();
    const box = createSecretBox(openKeyring(server.config, createLog('silent')));
    const { client, refresh_token = '' } = openSecret(box, row)?.oauth ?? {};
    const revoked = await fetch(`${oauth.issuer}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ token: refresh_token, client_id: client?.client_id ?? '' }),
    });
    expect(revoked.status).toBe(200);
    expect(await use(server, id)).toMatchObject({ status: 403, body: { code: 'connector_sign_in_required' } });
    expect(await statusOf(server, id)).toMatchObject({
      status_type: 'invalid',
      error_message: 'you need to reconnect',
    });
  });

  it('whose page is asked to come back to another address gets nothing', async () => {
    const id = await create(server, 'elsewhere');
    const url = new URL(await begin(server, id));
    url.searchParams.set('redirect_uri', 'https://evil.example.com/callback');
    const page = await visit(url.href);
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    expect((await ask(server, `/${id}/user/credentials`)).body).toMatchObject({ credentials: [] });
  });

  it('ends with a revocation of its token when its credentials or its connector are deleted', async () => {
    const id = await create(server, 'revoked');
    await connect(server, id);
    const before = oauth.revocations.length;
    await ask(server, `/${id}/user/credentials/default`, { method: 'DELETE' });
    expect(oauth.revocations.slice(before)).toEqual([expect.stringContaining('token_type_hint=refresh_token')]);
    await connect(server, id);
    await ask(server, `/${id}`, { method: 'DELETE' });
    await vi.waitFor(() => expect(oauth.revocations).toHaveLength(before + 2), { timeout: 20_000 });
    const { db } = server.platform.database;
    const events = await db.selectFrom('audit_logs').select('event_type').execute();
    expect(events.map(({ event_type }) => event_type)).toEqual(
      expect.arrayContaining(['integration.connected', 'integration.credentials.revoked']),
    );
  });

  it('of a program uses its client credentials', async () => {
    const metadata = {
      issuer: oauth.issuer,
      token_endpoint: `${oauth.issuer}/token`,
      x_resource_url: wiki.url,
      x_scope: 'read',
    };
    const method = {
      method_type: 'oauth2',
      grant_type: 'client_credentials',
      oauth2_server_metadata: metadata,
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const id = await create(server, 'machine', { auth_methods: [method] });
    const body = { name: 'main', credentials: { oauth: { grant_type: 'client_credentials', ...CLIENT } } };
    expect((await ask(server, `/${id}/workspace/credentials`, { body })).status).toBe(200);
    expect((await use(server, id)).status).toBe(200);
    expect(resource.tokens.at(-1)).toMatchObject({ client_id: CLIENT.client_id });
  });

  it('leaves no token in the database or in the log', async () => {
    const { db } = server.platform.database;
    const tables = ['connector_credentials', 'connector_sign_ins', 'connector_clients', 'audit_logs'] as const;
    for (const table of tables)
      expect(JSON.stringify(await db.selectFrom(table).selectAll().execute())).not.toMatch(
        /eyJ[\w-]+\.|refresh_token":|client_secret":/,
      );
    expect(server.logs.join('')).not.toMatch(/eyJ[\w-]+\.|the-secret-of/);
  });

  it('with a lost key is lost, and nothing else: the server starts, says so, and stores new credentials', async () => {
    const id = await create(server, 'lost');
    await connect(server, id);
    const reopened = {
      ...(await startTestServer(database, { file: { outbound: { allow: [wiki.place, oauth.place] } } })),
      key: server.key,
    };
    expect(await use(reopened, id)).toMatchObject({ status: 403, body: { code: 'connector_sign_in_required' } });
    expect(await statusOf(reopened, id)).toMatchObject({
      status_type: 'invalid',
      error_message: 'unparsable credentials',
    });
    await connect(reopened, id);
    expect((await use(reopened, id)).status).toBe(200);
  });
});

const postgres = inject('postgresUrl');
describe.runIf(postgres)('three servers on one database', () => {
  it('ask for one new token together, whoever notices first that it is needed', { timeout: 60_000 }, async () => {
    const database = postgresForTests(postgres ?? '');
    const options = {
      file: { outbound: { allow: [wiki.place, oauth.place] } },
      environment: { TRAMONTANE_SECRETS_KEY: randomBytes(32).toString('base64') },
    };
    const first = await startTestServer(database, options);
    const others = [await startTestServer(database, options), await startTestServer(database, options)];
    const servers = [first, ...others.map((server) => ({ ...server, key: first.key }))];
    const id = await create(first, 'shared');
    await connect(first, id);
    for (const server of servers) expect((await use(server, id)).status).toBe(200);
    const before = grants('refresh_token').length;
    // The token is refused everywhere from now on: each server needs another one.
    wiki.seen.length = 0;
    await use(first, id);
    const token = wiki.seen.at(-1)?.headers.authorization?.slice('Bearer '.length) ?? '';
    resource.refused.add(token);
    const answers = await Promise.all(servers.flatMap((server) => [use(server, id), use(server, id)]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(grants('refresh_token')).toHaveLength(before + 1);
  });
});
