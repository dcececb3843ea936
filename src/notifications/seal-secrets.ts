import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { notificationErrors } from './errors.ts';
import { listSealedEndpoints, updateEndpoint } from './store/endpoints.ts';
import type { EndpointRow } from './store/tables.ts';

const place = (endpointId: string) => `notification endpoint ${endpointId}`;

export function sealSecret(box: SecretBox, log: Logger, endpointId: string, secret: string): string {
  try {
    return box.seal(secret, place(endpointId));
  } catch (error) {
    log.error({ err: error }, 'a secret could not be encrypted');
    throw notificationErrors.notification_secrets_unavailable({ cause: error });
  }
}

/** The newest first, then the one before as long as it is valid. */
export function openSecrets(box: SecretBox, row: EndpointRow, nowMs: number): string[] {
  const sealed = [row.sealed_secret];
  if (row.sealed_previous !== null && (row.previous_until_ms ?? 0) > nowMs) sealed.push(row.sealed_previous);
  return sealed.map((one) => {
    const secret = box.open(one, place(row.id));
    if (secret === undefined) throw notificationErrors.notification_secrets_unavailable();
    return secret;
  });
}

/** Encrypts the secrets of endpoints with the newest key. What no key opens stays as it is. */
export async function resealNotificationSecrets(
  database: Database,
  box: SecretBox,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  const reseal = <T extends string | null>(sealed: T, id: string): T | string => {
    if (sealed === null || box.isCurrent(sealed)) return sealed;
    const text = box.open(sealed, place(id));
    counts[text === undefined ? 'unreadable' : 'resealed'] += 1;
    return text === undefined ? sealed : box.seal(text, place(id));
  };
  for (const { id, ...sealed } of await listSealedEndpoints(database.db)) {
    const sealed_secret = reseal(sealed.sealed_secret, id);
    const sealed_previous = reseal(sealed.sealed_previous, id);
    if (sealed_secret !== sealed.sealed_secret || sealed_previous !== sealed.sealed_previous)
      await updateEndpoint(database.db, id, { sealed_secret, sealed_previous });
  }
  return counts;
}
