import type { Logger } from '../kit/base/log.ts';
import { createBoundedFetch } from '../kit/outbound/index.ts';
import type { StoredGrant } from './schema/credentials.ts';
import type { Target } from './targets.ts';

/** RFC 7009. Undefined where the authorization server offers no revocation. */
export async function revokeGrant(
  target: Target,
  { metadata, client, refresh_token, access_token }: StoredGrant,
  log: Logger,
): Promise<'revoked' | 'failed' | undefined> {
  const endpoint = metadata?.revocation_endpoint;
  const token = refresh_token ?? access_token;
  if (typeof endpoint !== 'string' || token === undefined) return undefined;
  const body = new URLSearchParams({
    token,
    token_type_hint: refresh_token === undefined ? 'access_token' : 'refresh_token',
  });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  const supported = metadata?.revocation_endpoint_auth_methods_supported;
  const isPost = Array.isArray(supported) && !supported.includes('client_secret_basic');
  if (client.client_secret === undefined || isPost) {
    body.set('client_id', client.client_id);
    if (client.client_secret !== undefined) body.set('client_secret', client.client_secret);
  } else {
    const pair = [client.client_id, client.client_secret].map(encodeURIComponent).join(':');
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  try {
    const { ok, status } = await createBoundedFetch(target.outbound)(endpoint, { method: 'POST', headers, body });
    if (!ok) log.warn({ connector: target.id, status }, 'a token of a connector could not be revoked');
    return ok ? 'revoked' : 'failed';
  } catch (error) {
    log.warn({ err: error, connector: target.id }, 'a token of a connector could not be revoked');
    return 'failed';
  }
}
