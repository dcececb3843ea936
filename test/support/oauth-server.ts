import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { atEnd } from './cleanup.ts';
import type { FakeMcp } from './mcp-server.ts';

export type OAuthServer = {
  issuer: string;
  /** `host:port`. */
  place: string;
  /** How long access tokens last, in seconds. */
  ttl: number;
  /** Whether a sign-in gets a refresh token. */
  isRenewable: boolean;
  /** The body of every token request. */
  tokenRequests: string[];
  /** The body of every revocation. */
  revocations: string[];
  /** Answers in place of the provider. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Puts the MCP server behind this authorization server. */
  protect(fake: FakeMcp): Protected;
  /** A browser whose user agrees to everything: the address at which it would come back. */
  signIn(authUrl: string): Promise<string>;
};

export type Protected = {
  /** The claims of accepted tokens. */
  tokens: Record<string, unknown>[];
  /** Tokens that are refused although they are good. */
  refused: Set<string>;
  /** What tokens must be for, if not the server itself. */
  audience: string;
  scope: string | undefined;
};

export const CLIENT = { client_id: 'configured', client_secret: 'the-secret-of-the-configured-client' };

/** A real authorization server, with dynamic registration, PKCE, resource indicators, rotation and revocation. */
export async function startOAuthServer(redirectUrls: string[] = []): Promise<OAuthServer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end();
  const server = createServer((request, response) => {
    if (oauth.instead?.(request, response)) return;
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${place}`;
  const oauth: OAuthServer = {
    issuer,
    place,
    ttl: 3600,
    isRenewable: true,
    tokenRequests: [],
    revocations: [],
    instead: undefined,
    protect: (fake) => protect(fake, issuer, () => key),
    signIn,
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        redirect_uris: redirectUrls.length > 0 ? redirectUrls : ['https://nowhere.example/callback'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['for tests'] },
    scopes: ['openid', 'offline_access', 'read', 'write'],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: 'read write',
          audience: resource,
          accessTokenTTL: oauth.ttl,
          accessTokenFormat: 'jwt',
        }),
      },
    },
    ttl: {
      AccessToken: () => oauth.ttl,
      ClientCredentials: () => oauth.ttl,
      Grant: 3600,
      Interaction: 600,
      Session: 600,
    },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      oauth.isRenewable && client.grantTypeAllowed('refresh_token'),
    pkce: { required: () => true },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  });
  const serve = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/')) return void agree(provider, request, response);
    const list =
      request.url === '/token'
        ? oauth.tokenRequests
        : request.url === '/token/revocation'
          ? oauth.revocations
          : undefined;
    if (list) {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => list.push(text));
    }
    serve(request, response);
  };
  const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: JsonWebKey[] };
  const key = createPublicKey({ key: keys[0] ?? {}, format: 'jwk' });
  return oauth;
}

async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId: 'someone' } });
  const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: params.client_id });
  grant.addOIDCScope(params.scope ?? 'openid');
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '));
  const consent = { grantId: await grant.save() };
  return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/** Follows redirects with cookies until the browser would leave the authorization server. */
async function signIn(authUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(authUrl);
  for (let url = authUrl; ; ) {
    if (new URL(url).origin !== origin) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The sign-in ended with ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
  }
}

function protect(fake: FakeMcp, issuer: string, keyOf: () => KeyObject): Protected {
  const { origin } = new URL(fake.url);
  const state: Protected = { tokens: [], refused: new Set(), audience: fake.url, scope: 'read' };
  const before = fake.instead;
  fake.instead = (request, response, message) => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      const metadata = { resource: fake.url, authorization_servers: [issuer], scopes_supported: ['read'] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return true;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const claims = token === undefined ? undefined : readToken(token, keyOf());
    const isGood = claims && claims.aud === state.audience && Number(claims.exp) * 1000 > Date.now();
    if (token !== undefined && isGood && !state.refused.has(token)) {
      state.tokens.push(claims);
      return before?.(request, response, message) ?? false;
    }
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const scope = state.scope === undefined ? '' : `, scope="${state.scope}"`;
    response.writeHead(401, { 'www-authenticate': `${challenge}${scope}` }).end();
    return true;
  };
  return state;
}

function readToken(token: string, key: KeyObject): Record<string, unknown> | undefined {
  const [head = '', body = '', signature = ''] = token.split('.');
  const isSigned = verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
  return isSigned ? (JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>) : undefined;
}
