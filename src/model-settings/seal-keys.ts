import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import { modelSettingsErrors } from './errors.ts';
import { listStored, type StoredModelRow, updateStored } from './store.ts';

/** One for each server of a model, in their order; null where it has none. */
export type TargetKeys = (string | null)[];

const place = (modelId: string) => `stored model ${modelId}`;

export function sealKeys(box: SecretBox, log: Logger, modelId: string, keys: TargetKeys): string | null {
  if (keys.every((key) => key === null)) return null;
  try {
    return box.seal(JSON.stringify(keys), place(modelId));
  } catch (error) {
    log.error({ err: error }, 'the key of a model server could not be encrypted');
    throw modelSettingsErrors.model_secrets_unavailable({ cause: error });
  }
}

/** Undefined where they cannot be read any more. */
export function openKeys(box: SecretBox, row: StoredModelRow): TargetKeys | undefined {
  if (row.sealed_keys === null) return [];
  const text = box.open(row.sealed_keys, place(row.id));
  return text === undefined ? undefined : (JSON.parse(text) as TargetKeys);
}

/** Encrypts the keys of model servers with the newest key. What no key opens stays as it is. */
export async function resealModelKeys(
  database: Database,
  box: SecretBox,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  for (const { id, sealed_keys } of await listStored(database.db)) {
    if (sealed_keys === null || box.isCurrent(sealed_keys)) continue;
    const text = box.open(sealed_keys, place(id));
    counts[text === undefined ? 'unreadable' : 'resealed'] += 1;
    if (text !== undefined) await updateStored(database.db, id, { sealed_keys: box.seal(text, place(id)) });
  }
  return counts;
}
