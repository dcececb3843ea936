import { openKeyring } from '../compose/open-keyring.ts';
import type { Config } from '../config/config.ts';
import { type Resealed, resealSecrets } from '../connectors/index.ts';
import { createLog } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import { addKey, createSecretBox, keepKeys } from '../kit/secrets/index.ts';
import { resealModelKeys } from '../model-settings/index.ts';
import { resealNotificationSecrets } from '../notifications/index.ts';
import { resealSignIns } from '../tenants/index.ts';
import { resealWebhookSecrets } from '../webhooks/index.ts';

const KEPT = 2;

export type Rotated = Resealed & { file: string | null; keys: number };

/**
 * Encrypts stored secrets with a new key. The one before stays in the file until the next rotation, for
 * what a running server wrote at this moment; older ones go. Keys of the environment are changed by the operator first.
 */
export async function rotateSecrets(config: Config, database: Database): Promise<Rotated> {
  const keyring = openKeyring(config, createLog('silent'));
  const { file } = keyring;
  if (file !== undefined) addKey(file, keyring.list());
  const box = createSecretBox(keyring);
  const counts: Resealed = { resealed: 0, unreadable: 0 };
  for (const reseal of [
    resealSecrets,
    resealSignIns,
    resealWebhookSecrets,
    resealNotificationSecrets,
    resealModelKeys,
  ]) {
    const { resealed, unreadable } = await reseal(database, box);
    counts.resealed += resealed;
    counts.unreadable += unreadable;
  }
  // The oldest is needed no longer, unless something could not be read.
  if (file !== undefined && counts.unreadable === 0) keepKeys(file, keyring.list().slice(0, KEPT));
  return { ...counts, file: file ?? null, keys: keyring.list().length };
}
