import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { webhookErrors } from './errors.ts';
import { listSealedWebhooks, resealWebhook } from './store/webhooks.ts';

export const secretPlace = (webhookId: string) => `webhook ${webhookId} secret`;
export const keyPlace = (webhookId: string) => `webhook ${webhookId} key`;

export function sealText(box: SecretBox, log: Logger, text: string, place: string): string {
  try {
    return box.seal(text, place);
  } catch (error) {
    log.error({ err: error }, 'a secret could not be encrypted');
    throw webhookErrors.webhook_secrets_unavailable({ cause: error });
  }
}

export function openText(box: SecretBox, sealed: string, place: string): string {
  const text = box.open(sealed, place);
  if (text === undefined) throw webhookErrors.webhook_secrets_unavailable();
  return text;
}

/** Encrypts the secrets of webhooks with the newest key. What no key opens stays as it is. */
export async function resealWebhookSecrets(
  database: Database,
  box: SecretBox,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  const reseal = (sealed: string | null, place: string): string | null => {
    if (sealed === null || box.isCurrent(sealed)) return sealed;
    const text = box.open(sealed, place);
    counts[text === undefined ? 'unreadable' : 'resealed'] += 1;
    return text === undefined ? sealed : box.seal(text, place);
  };
  for (const { id, sealed_secret, sealed_key } of await listSealedWebhooks(database.db)) {
    const row = {
      id,
      sealed_secret: reseal(sealed_secret, secretPlace(id)),
      sealed_key: reseal(sealed_key, keyPlace(id)),
    };
    if (row.sealed_secret !== sealed_secret || row.sealed_key !== sealed_key)
      await database.transaction((tx) => resealWebhook(tx, row));
  }
  return counts;
}
