import type { Webhook } from './schema/webhooks.ts';
import type { WebhookRow } from './store/tables.ts';

/** Where deliveries arrive. */
export const RECEIVE_PATH = '/v1/webhooks/in';

export function showWebhook(row: WebhookRow, baseUrl: string): Webhook {
  const { token, settings, sealed_secret: _, sealed_key: __, secret_origin: ___, ...shown } = row;
  return { ...shown, ...settings, url: `${baseUrl}${RECEIVE_PATH}/${token}`, http_method: 'POST' };
}
