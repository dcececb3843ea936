import type { ManagedModel, StoredSettings } from './schema.ts';
import type { TargetKeys } from './seal-keys.ts';
import type { StoredModelRow } from './store.ts';

const NOT_UPSTREAM = { targets: [], timeout_seconds: null, private_network: false };

/** A stored model as it is shown; of its keys only whether they exist. */
export function toManaged(
  settings: StoredSettings,
  keys: TargetKeys,
  { updated_at, problem }: { updated_at: string; problem: string | null },
): ManagedModel {
  const { id, aliases, engine, kind, price, limits } = settings;
  const common = {
    ...{ id, source: 'database' as const, engine, aliases, kind, price, problem, updated_at },
    limits: {
      requests_per_minute: limits.requests_per_minute ?? null,
      tokens_per_minute: limits.tokens_per_minute ?? null,
    },
    name: settings.name ?? null,
    description: settings.description ?? null,
    default_temperature: settings.default_temperature ?? null,
  };
  if (settings.engine !== 'upstream') {
    const isChat = settings.engine === 'llama';
    return {
      ...common,
      ...NOT_UPSTREAM,
      capabilities: {},
      max_context_length: isChat ? settings.context : 8192,
      weights: settings.weights,
      adapter: isChat ? (settings.adapter ?? null) : null,
      sequences: isChat ? (settings.sequences ?? null) : null,
    };
  }
  const { timeout_seconds, private_network, max_context_length, capabilities } = settings;
  return {
    ...common,
    capabilities: Object.fromEntries(Object.entries(capabilities).map(([name, has]) => [name, has === true])),
    ...{ max_context_length, timeout_seconds, private_network, weights: null, adapter: null, sequences: null },
    targets: targetsOf(settings).map(({ url, upstream_model }, index) => ({
      url,
      upstream_model: upstream_model ?? null,
      has_api_key: (keys[index] ?? null) !== null,
    })),
  };
}

type Upstream = Extract<StoredSettings, { engine: 'upstream' }>;

/** Its servers in the order in which they are tried; the keys have the same order. */
export function targetsOf({ url, upstream_model, fallbacks }: Upstream): Upstream['fallbacks'] {
  return [{ url, upstream_model }, ...fallbacks];
}

/** A row whose settings cannot be read. */
export function toBroken({ id, updated_at }: StoredModelRow, problem: string): ManagedModel {
  return {
    ...{ id, source: 'database', engine: '', aliases: [], name: null, description: null, kind: null },
    ...{ capabilities: {}, default_temperature: null, price: { prompt: 0, completion: 0 }, max_context_length: 0 },
    limits: { requests_per_minute: null, tokens_per_minute: null },
    ...{ targets: [], timeout_seconds: null, private_network: false, weights: null, adapter: null, sequences: null },
    ...{ problem, updated_at },
  };
}
