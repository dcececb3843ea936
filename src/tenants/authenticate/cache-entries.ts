import type { Clock } from '../../kit/base/clock.ts';
import type { Signal } from '../../kit/db/index.ts';
import { unavailable } from '../../kit/http/index.ts';

const CACHE_ENTRIES_MAX = 10_000;

export type EntryCache<E> = {
  /** From memory, while the news about changes is young enough to trust it. */
  find(id: string): E | undefined;
  /** From the database; callers that ask for the same at the same time share one read. */
  load(id: string): Promise<E | undefined>;
  forget(id: string): void;
};

/**
 * What keys and sessions open, kept in memory. The cache is dropped whenever the signal says that something changed, and
 * is not trusted while the signal has not been heard: what was revoked is refused by every process within a second, even
 * by one that has lost its database.
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
    // Something changed while we read: what we have may be the old truth, so it serves this request only.
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
      // A database that is slow to answer may answer with what held when it was asked: what has been revoked since must
      // not come in with it.
      if (running && signal.isYoung(running.startedAtMs)) return running.promise;
      const promise = readInto(id)
        .catch((cause: unknown) => {
          throw unavailable('The database cannot be reached. Try again in a moment.', 1, { cause });
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
