import { createHmac } from 'node:crypto';
import { call } from '../../test/support/call.ts';
import type { TestServer } from '../../test/support/server.ts';
import type { Webhook } from './schema/webhooks.ts';

type Server = Pick<TestServer, 'url' | 'key'>;

export const hmac = (secret: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex', algorithm = 'sha256') =>
  createHmac(algorithm, secret).update(text).digest(encoding);

/** One post of a provider, without a key. */
export function deliver(server: Server, { url }: Pick<Webhook, 'url'>, raw: string, headers: Record<string, string>) {
  const { pathname, search } = new URL(url);
  return call(server, `${pathname}${search}`, { key: '', method: 'POST', raw, headers });
}

/** As GitHub sends it. */
export function deliverFromGithub(
  server: Server,
  webhook: Pick<Webhook, 'url'>,
  secret: string,
  payload: object,
  { event = 'push', id = '' }: { event?: string; id?: string } = {},
) {
  const raw = JSON.stringify(payload);
  return deliver(server, webhook, raw, {
    'x-hub-signature-256': `sha256=${hmac(secret, raw)}`,
    'x-github-event': event,
    ...(id && { 'x-github-delivery': id }),
  });
}
