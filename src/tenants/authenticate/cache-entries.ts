import type { Clock } from '../../kit/base/clock.ts';
import type { Signal } from '../../kit/db/index.ts';
import { tenantErrors } from '../errors.ts';

const CACHE_ENTRIES_MAX = 10_000;

export type EntryCache<E> = {
  /** From memory; undefined while the signal is too old to trust the cache. */
  find(id: string): E | undefined;
  /** From the database; concurrent calls for one id share one read. */
  load(id: string): Promise<E | undefined>;
  forget(id: string): void;
};

/**
 * Caches what keys and sessions give access to. A change drops the cache, and it is not used while the signal is stale: a
 * revoked key is refused by every process within a second, even by one that has lost its database.
 */
export function createEntryCache<E>(options: {
  signal: Signal;
  now: Clock;
  read: (id: string) => Promise<E | undefined>;
}): EntryCache<E> {
  const { signal, now, read } = options;
  const cache = new Map<string, E>();
  const loading = new Map<string, { startedAtMs: number; promise: Promise<E | undefined> }>();
  let generation = 0;

  signal.onChange(() => {
    generation++;
    cache.clear();
    loading.clear();
  });

  async function readInto(id: string): Promise<E | undefined> {
    const startedIn = generation;
    const entry = await read(id);
    // After a change during the read the entry may be outdated, so it is not kept.
    if (entry && startedIn === generation) {
      if (cache.size >= CACHE_ENTRIES_MAX) cache.delete(cache.keys().next().value ?? '');
      cache.set(id, entry);
    }
    return entry;
  }

  return {
    find: (id) => (signal.isFresh() ? cache.get(id) : undefined),
    forget: (id) => void cache.delete(id),
    load(id) {
      const running = loading.get(id);
      // A slow read may predate a revocation, so only a young one is shared.
      if (running && signal.isYoung(running.startedAtMs)) return running.promise;
      const promise = readInto(id)
        .catch((cause: unknown) => {
          throw tenantErrors.authentication_unavailable({ cause });
        })
        .finally(() => {
          if (loading.get(id) === started) loading.delete(id);
        });
      const started = { startedAtMs: now(), promise };
      loading.set(id, started);
      return promise;
    },
  };
}
