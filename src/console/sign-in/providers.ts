import type { Logger } from '../../kit/base/log.ts';
import type { BoundedFetch } from '../../kit/outbound/index.ts';
import { consoleErrors } from '../errors.ts';
import { openProviderClient, type ProviderClient } from './provider-client.ts';
import type { ProviderSettings } from './settings.ts';

/** The document of a provider is read again this often. */
const DISCOVERY_MS = 60 * 60 * 1000;

export type Providers = {
  list(): { id: string; name: string }[];
  /** Throws 404 for a provider that is not configured. */
  settings(id: string): ProviderSettings;
  find(id: string): ProviderSettings | undefined;
  /** Throws 502 while the provider cannot be reached. */
  client(id: string): Promise<ProviderClient>;
};

export function createProviders(deps: {
  providers: readonly ProviderSettings[];
  fetch: BoundedFetch;
  now: () => number;
  log: Logger;
}): Providers {
  const { providers, fetch, now, log } = deps;
  const opened = new Map<string, { client: Promise<ProviderClient>; untilMs: number }>();

  const find = (id: string) => providers.find((one) => one.id === id);

  function settings(id: string): ProviderSettings {
    const found = find(id);
    if (!found) throw consoleErrors.provider_not_found(id);
    return found;
  }

  function open(id: string): Promise<ProviderClient> {
    const known = opened.get(id);
    if (known && known.untilMs > now()) return known.client;
    const client = openProviderClient(settings(id), fetch);
    opened.set(id, { client, untilMs: now() + DISCOVERY_MS });
    // The next request tries again.
    client.catch(() => opened.delete(id));
    return client;
  }

  return {
    list: () => providers.map(({ id, name }) => ({ id, name })),
    settings,
    find,
    async client(id) {
      try {
        return await open(id);
      } catch (error) {
        log.warn({ err: error, provider: id }, 'a sign-in provider cannot be used');
        throw consoleErrors.provider_unavailable(settings(id).name);
      }
    },
  };
}
