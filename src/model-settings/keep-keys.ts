import type { ModelSettings, StoredSettings } from './schema.ts';
import type { TargetKeys } from './seal-keys.ts';
import { targetsOf } from './to-managed.ts';

/** The settings that are stored, and the keys that are encrypted beside them. */
export function splitKeys(
  given: ModelSettings,
  before?: { settings: StoredSettings; keys: TargetKeys },
): { settings: StoredSettings; keys: TargetKeys } {
  if (given.engine !== 'upstream') return { settings: given, keys: [] };
  const { api_key, fallbacks, ...rest } = given;
  const settings = { ...rest, fallbacks: fallbacks.map(({ api_key: _, ...target }) => target) };
  const keys = [{ api_key }, ...fallbacks].map((target, index) => {
    const url = targetsOf(settings)[index]?.url ?? '';
    return target.api_key === undefined ? findKey(before, url) : target.api_key;
  });
  return { settings, keys };
}

/** The key that was stored for this server. It is never sent to another one. */
export function findKey(
  before: { settings: StoredSettings; keys: TargetKeys } | undefined,
  url: string,
): string | null {
  if (before?.settings.engine !== 'upstream') return null;
  const { origin } = new URL(url);
  const index = targetsOf(before.settings).findIndex((target) => new URL(target.url).origin === origin);
  return before.keys[index] ?? null;
}
