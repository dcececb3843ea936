import { setTimeout as sleep } from 'node:timers/promises';
import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  customFetch as jwksFetch,
  jwtVerify,
} from 'jose';
import * as openid from 'openid-client';
import type { BoundedFetch } from '../../kit/outbound/index.ts';
import type { ProviderClaims, ProviderLogout, ProviderTokens } from '../../tenants/index.ts';
import { readClaims } from './read-claims.ts';
import type { ProviderSettings } from './settings.ts';

/** A key that is not among the known ones is looked for again after this long. */
const KEYS_COOLDOWN_MS = 1000;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LOGOUT_AGE_MAX_SECONDS = 300;
const CLOCK_SKEW_SECONDS = 30;

export class ForeignSubject extends Error {}

export type Granted = { claims: ProviderClaims; sid: string | undefined; tokens: ProviderTokens };
/** `idToken`: only one that came with the refresh. */
export type Refreshed = { tokens: ProviderTokens; idToken: string | undefined };
export type NamedGroups = { groups: readonly string[]; from: ProviderTokens['groups_from'] };
/** What a browser keeps while its user is at the provider. */
export type Pending = { state: string; nonce: string; verifier: string };

export type ProviderClient = {
  begin(redirectUrl: string): Promise<{ url: string; pending: Pending }>;
  /** Exchanges the code of the callback and checks everything that OpenID Connect asks for. */
  finish(callback: URL, pending: Pending): Promise<Granted>;
  /** New tokens, which replace the old ones at once: a provider takes a used refresh token for stolen. */
  refresh(tokens: ProviderTokens): Promise<Refreshed>;
  /** The groups that the provider names now, in the user info or in an ID token that was just given, and where. */
  groupsOf(subject: string, refreshed: Refreshed): Promise<NamedGroups>;
  /**
   * The same by the user info alone, with tokens that stay as they are. Undefined where that does not tell: the provider
   * has none, or names groups elsewhere.
   */
  askGroups(subject: string, tokens: ProviderTokens): Promise<NamedGroups | undefined>;
  signOutUrl(idToken: string | undefined, returnUrl: string): string | undefined;
  /** Checks the message by which a provider ends sessions. */
  readLogout(token: string): Promise<ProviderLogout>;
};

export async function openProviderClient(settings: ProviderSettings, fetch: BoundedFetch): Promise<ProviderClient> {
  const { issuer, client_id, client_secret, scopes, groups_claim } = settings;
  const config = await openid.discovery(
    new URL(issuer),
    client_id,
    undefined,
    client_secret === undefined ? openid.None() : openid.ClientSecretBasic(client_secret),
    {
      // The configuration refuses http except on this machine.
      ...(issuer.startsWith('http:') && { execute: [openid.allowInsecureRequests] }),
      [openid.customFetch]: (url, init) => fetch(url, init as RequestInit),
    },
  );
  const metadata = config.serverMetadata();
  const hasUserInfo = metadata.userinfo_endpoint !== undefined;
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''), {
    cooldownDuration: KEYS_COOLDOWN_MS,
    [jwksFetch]: (url, init) => fetch(url, init as RequestInit),
  });

  /** A provider that has new keys is asked for them at most once in a while; a token that needs them waits for that. */
  async function verify(token: string, options: JWTVerifyOptions = {}): Promise<JWTPayload> {
    const expected = { issuer: metadata.issuer, audience: client_id, clockTolerance: CLOCK_SKEW_SECONDS, ...options };
    try {
      return (await jwtVerify(token, keys, expected)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await sleep(KEYS_COOLDOWN_MS);
      return (await jwtVerify(token, keys, expected)).payload;
    }
  }

  /** Claims of the ID token, and those of the user info where the provider has it. */
  async function readAll(subject: string, idToken: JWTPayload, accessToken: string) {
    const userInfo = hasUserInfo ? await openid.fetchUserInfo(config, accessToken, subject) : {};
    const from = groups_claim in userInfo ? 'user_info' : groups_claim in idToken ? 'id_token' : undefined;
    return { claims: readClaims(idToken, userInfo, groups_claim), from } as const;
  }

  return {
    async begin(redirectUrl) {
      const pending = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: [...new Set(['openid', ...scopes])].join(' '),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        // Without it some providers give no refresh token.
        ...(scopes.includes('offline_access') && { prompt: 'consent' }),
      });
      return { url: url.href, pending };
    },
    async finish(callback, { state, nonce, verifier }) {
      const granted = await openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      // The library trusts the connection for this; the signature is checked as well.
      const idToken = await verify(granted.id_token ?? '');
      const subject = idToken.sub ?? '';
      const { claims, from } = await readAll(subject, idToken, granted.access_token);
      return {
        claims,
        sid: typeof idToken.sid === 'string' ? idToken.sid : undefined,
        tokens: { ...tokensOf(granted), groups_from: from },
      };
    },
    async refresh(tokens) {
      if (tokens.refresh_token === undefined) return { tokens, idToken: undefined };
      const granted = await openid.refreshTokenGrant(config, tokens.refresh_token);
      return { tokens: { ...tokens, ...tokensOf(granted) }, idToken: granted.id_token };
    },
    async groupsOf(subject, { tokens, idToken }) {
      const claims = idToken === undefined ? { sub: subject } : await verify(idToken);
      if (claims.sub !== subject) throw new ForeignSubject('The provider answered for another subject.');
      const { claims: all, from } = await readAll(subject, claims, tokens.access_token);
      return { groups: all.groups, from };
    },
    async askGroups(subject, { access_token, groups_from }) {
      if (!hasUserInfo || groups_from === 'id_token') return undefined;
      const { claims, from } = await readAll(subject, { sub: subject }, access_token);
      // Groups that were there a moment ago may be named elsewhere now.
      return from === undefined && groups_from === 'user_info' ? undefined : { groups: claims.groups, from };
    },
    signOutUrl(idToken, returnUrl) {
      if (metadata.end_session_endpoint === undefined) return undefined;
      return openid.buildEndSessionUrl(config, {
        post_logout_redirect_uri: returnUrl,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      }).href;
    },
    async readLogout(token) {
      const { sub, sid, nonce, events, jti, iat = 0 } = await verify(token, { maxTokenAge: LOGOUT_AGE_MAX_SECONDS });
      const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
      const session = typeof sid === 'string' ? sid : undefined;
      const isComplete = typeof jti === 'string' && (sub !== undefined || session !== undefined);
      if (!isLogout || nonce !== undefined || !isComplete) throw new Error('This is no logout token.');
      const expiresAtMs = (iat + LOGOUT_AGE_MAX_SECONDS + 2 * CLOCK_SKEW_SECONDS) * 1000;
      return { id: jti, expiresAtMs, subject: sub, sid: session };
    },
  };
}

function tokensOf(granted: { access_token: string; refresh_token?: string; id_token?: string }): ProviderTokens {
  const { access_token, refresh_token, id_token } = granted;
  return {
    access_token,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(id_token !== undefined && { id_token }),
  };
}
