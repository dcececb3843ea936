import { setTimeout as pause } from 'node:timers/promises';
import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Db } from '../kit/db/index.ts';
import { createBoundedFetch } from '../kit/outbound/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { clientLibrary, loadClientLibrary } from './client-library.ts';
import { connectorErrors } from './errors.ts';
import type { CredentialsStatusErrorReason, StoredGrant } from './schema/credentials.ts';
import { credentialsPlace, openSecret, sealText } from './seal-credentials.ts';
import { findCredentials, leaseRefresh, updateCredentials } from './store/credentials.ts';
import type { CredentialsRow } from './store/tables.ts';
import type { Target } from './targets.ts';

/** A token is renewed so long before it expires. */
const AHEAD_MS = 60_000;
const LEASE_MS = 20_000;
const LOOK_MS = 50;

type Ports = { db: Db; box: SecretBox; now: Clock; log: Logger };

export type FreshToken = { row: CredentialsRow; token: string };

/**
 * The access token of these credentials, renewed where it is about to expire or `refused` says that this version no
 * longer works. Of all servers one asks for the new token; the others wait for it, or use the old one while it lasts.
 */
export async function freshToken(
  ports: Ports,
  target: Target,
  given: CredentialsRow,
  refused?: number,
): Promise<FreshToken> {
  const { db, box, now } = ports;
  for (let row: CredentialsRow | undefined = given; ; row = await findCredentials(db, given)) {
    const grant = row && openSecret(box, row)?.oauth;
    if (!row || !grant) throw needsSignIn(target, 'its credentials cannot be read.');
    const isRefused = refused !== undefined && row.version <= refused;
    const token = isRefused ? undefined : grant.access_token;
    const lastsMs = (row.expires_ms ?? Number.POSITIVE_INFINITY) - now();
    if (token !== undefined && lastsMs > AHEAD_MS) return { row, token };
    if (row.status_type === 'invalid') throw needsSignIn(target, 'its sign-in has ended.');
    const canRenew = grant.grant === 'client_credentials' || grant.refresh_token !== undefined;
    if (!canRenew) {
      if (token !== undefined && lastsMs > 0) return { row, token };
      await noteFailure(ports, row, 'invalid', isRefused ? 'you need to reconnect' : 'oauth expired');
      throw needsSignIn(target, 'its sign-in has expired.');
    }
    const lease = { version: row.version, now: now(), until: now() + LEASE_MS };
    if (await leaseRefresh(db, row, lease)) return renew(ports, target, row, grant, token, lastsMs);
    if (token !== undefined && lastsMs > 0) return { row, token };
    // Another server renews it.
    await pause(LOOK_MS);
  }
}

async function renew(
  ports: Ports,
  target: Target,
  row: CredentialsRow,
  grant: StoredGrant,
  token: string | undefined,
  lastsMs: number,
): Promise<FreshToken> {
  const { db, box, now, log } = ports;
  try {
    const tokens = await requestTokens(target, grant);
    const renewed: StoredGrant = {
      ...grant,
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token ?? grant.refresh_token,
      scope: tokens.scope ?? grant.scope,
    };
    const changes = {
      sealed: sealText(box, log, JSON.stringify({ oauth: renewed }), credentialsPlace(row)),
      expires_ms: expiryOf(tokens, now()),
      version: row.version + 1,
      lease_until_ms: null,
      status_type: 'valid' as const,
      error_message: null,
      error_http_code: null,
      checked_at: isoMicros(now),
    };
    await updateCredentials(db, row, row.version, changes);
    return { row: { ...row, ...changes }, token: tokens.access_token };
  } catch (error) {
    const library = clientLibrary();
    const isOver = library !== undefined && error instanceof library.OAuthError && REFUSALS.has(String(error.code));
    log.warn({ err: error, connector: target.id }, 'a token of a connector could not be renewed');
    await noteFailure(
      ports,
      row,
      isOver ? 'invalid' : 'error',
      isOver ? 'you need to reconnect' : 'oauth refresh error',
    );
    if (isOver) throw needsSignIn(target, 'its authorization was revoked or has ended.');
    if (token !== undefined && lastsMs > 0) return { row, token };
    throw connectorErrors.connector_failed(
      `The authorization server of the connector '${target.config.id}' gave no new token.`,
      {
        cause: error,
      },
    );
  }
}

const REFUSALS = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

async function requestTokens(target: Target, grant: StoredGrant): Promise<OAuthTokens> {
  const library = await loadClientLibrary();
  const metadata = grant.metadata as AuthorizationServerMetadata | undefined;
  const issuer = metadata?.issuer ?? new URL(target.config.url).origin;
  const common = {
    ...(metadata ? { metadata } : {}),
    fetchFn: createBoundedFetch(target.outbound),
    ...(grant.resource === undefined ? {} : { resource: grant.resource }),
  };
  if (grant.grant === 'client_credentials')
    return library.fetchToken(clientCredentials(grant), issuer, {
      ...common,
      ...(grant.scope === undefined ? {} : { scope: grant.scope }),
    });
  return library.refreshAuthorization(issuer, {
    ...common,
    clientInformation: clientOf(grant),
    refreshToken: grant.refresh_token ?? '',
  });
}

function clientOf({ client: { client_id, client_secret } }: StoredGrant) {
  return { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
}

/** The library asks a provider; this one only has a client. */
function clientCredentials(grant: StoredGrant) {
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: ['client_credentials'] },
    clientInformation: () => clientOf(grant),
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
    prepareTokenRequest: (scope?: string) => {
      const form = new URLSearchParams({ grant_type: 'client_credentials' });
      if (scope) form.set('scope', scope);
      return form;
    },
  };
}

export function expiryOf({ expires_in }: Pick<OAuthTokens, 'expires_in'>, nowMs: number): number | null {
  return typeof expires_in === 'number' && expires_in >= 0 ? nowMs + expires_in * 1000 : null;
}

/** The row as it is now: a note about credentials that were replaced meanwhile is lost. */
export async function noteFailure(
  { db, now }: Pick<Ports, 'db' | 'now'>,
  row: CredentialsRow,
  status_type: 'invalid' | 'error',
  error_message: CredentialsStatusErrorReason,
  error_http_code: number | null = null,
): Promise<void> {
  const changes = { status_type, error_message, error_http_code, lease_until_ms: null, checked_at: isoMicros(now) };
  await updateCredentials(db, row, row.version, changes);
}

export function needsSignIn({ config }: Target, why: string) {
  return connectorErrors.connector_sign_in_required(config.id, why);
}
