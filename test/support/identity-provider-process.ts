import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import type { Control } from './identity-provider.ts';
import { IdentityProviderStore } from './identity-provider-store.ts';

/** A provider of OpenID Connect in a process of its own. The test tells it what to do at `/control`. */
const state: Control = { accounts: {}, account: '', base: '', forge: {}, ttl: 3600, client: '', outage: '' };
let counts: Record<string, number> = {};
let key: JWK;
let serve: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end();
let provider: Provider;

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: crypto.randomUUID() };
}

async function open(issuer: string): Promise<void> {
  key = await makeKey();
  provider = new Provider(issuer, {
    adapter: IdentityProviderStore,
    jwks: { keys: [key] },
    clients: [
      {
        client_id: 'tramontane',
        client_secret: 'the-secret-of-tramontane',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: ['corp', 'labs'].map((id) => `${state.base}/console/api/sign-in/${id}/callback`),
        post_logout_redirect_uris: [`${state.base}/console/sign-in`],
        backchannel_logout_uri: `${state.base}/console/api/sign-in/corp/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ['for tests'] },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    ttl: { AccessToken: () => state.ttl, IdToken: 600, Grant: 3600, Interaction: 600, Session: 600 },
    rotateRefreshToken: true,
    // Both have the same clock. The default lets a token live 15 seconds longer.
    clockTolerance: 0,
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) =>
      state.accounts[id] && { accountId: id, claims: () => ({ sub: id, ...state.accounts[id] }) },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  });
  serve = provider.callback();
}

async function agree(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId: state.account } });
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: params.client_id });
  grant.addOIDCScope(params.scope ?? 'openid');
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/** Signs the ID token again with other claims, as a provider that is wrong or in wrong hands would. */
async function forge(text: string): Promise<string> {
  const body = JSON.parse(text) as { id_token?: string };
  if (body.id_token === undefined) return text;
  const { key: hand, ...claims } = state.forge;
  const signer = hand === 'another' ? { ...(await makeKey()), kid: key.kid ?? '' } : key;
  const id_token = await new SignJWT({ ...decodeJwt(body.id_token), ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: key.kid ?? '' })
    .sign(await importJWK(signer, 'RS256'));
  return JSON.stringify({ ...body, id_token });
}

function serveForged(request: IncomingMessage, response: ServerResponse): void {
  const end = response.end.bind(response) as (text: string) => ServerResponse;
  response.end = ((text: string) => {
    void forge(String(text)).then((forged) => {
      response.setHeader('content-length', Buffer.byteLength(forged));
      end(forged);
    });
    return response;
  }) as typeof response.end;
  serve(request, response);
}

type Order = Partial<Control> & { rotate?: boolean; takeCounts?: boolean; logout?: Record<string, unknown> };

/** As a provider signs the message by which it ends sessions. */
async function makeLogout(issuer: string, claims: Record<string, unknown>): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const base = { iss: issuer, aud: 'tramontane', iat, exp: iat + 120, jti: crypto.randomUUID(), events };
  // Null takes a claim away.
  const all = Object.entries({ ...base, ...claims }).filter(([, value]) => value !== null);
  return new SignJWT(Object.fromEntries(all))
    .setProtectedHeader({ alg: 'RS256', kid: key.kid ?? '', typ: 'logout+jwt' })
    .sign(await importJWK(key, 'RS256'));
}

async function control(request: IncomingMessage, response: ServerResponse, issuer: string): Promise<void> {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { rotate, takeCounts, logout, ...changes } = JSON.parse(text) as Order;
  Object.assign(state, changes);
  if (rotate || changes.base !== undefined) await open(issuer);
  const answer = { counts, logout: logout && (await makeLogout(issuer, logout)) };
  if (takeCounts) counts = {};
  response.end(JSON.stringify(answer));
}

const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (path === '/control') return void control(request, response, issuer);
  counts[path] = (counts[path] ?? 0) + 1;
  if (state.outage === 'refuse') return void request.socket.destroy();
  if (state.outage === 'hang') return;
  if (path.startsWith('/interaction/')) return void agree(request, response);
  if (path === '/token' && Object.keys(state.forge).length > 0) return serveForged(request, response);
  return serve(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
process.stdout.write(`${issuer}\n`);
process.stdin.on('end', () => process.exit(0)).resume();
