import type { Clock } from '../kit/base/clock.ts';
import type { Era } from './open-session.ts';
import type { ParsedTools } from './parse-tools.ts';

/** With a digest of each tool, by its name. */
export type Listing = ParsedTools & { era: Era | undefined; ttlMs: number; digests: ReadonlyMap<string, string> };

const LISTINGS_MAX = 256;
/** Of all listings together: clients decide how many credentials they use, servers how long a listing is. */
const CHARACTERS_MAX = 16 * 1024 * 1024;
/** So that not every run waits for a connector that is down. */
const FAILURE_KEPT_MS = 5000;

export type ListingCache = {
  /** The cached listing, or the result of `list`, which concurrent callers share. */
  get(key: string, list: () => Promise<Listing>): Promise<Listing>;
  drop(key: string): void;
};

type Entry = { listing: Promise<Listing>; expiresAt: number; characters: number };

/** Keeps a listing for as long as its server says. */
export function createListingCache(now: Clock): ListingCache {
  const entries = new Map<string, Entry>();
  let characters = 0;

  function remove(key: string): void {
    characters -= entries.get(key)?.characters ?? 0;
    entries.delete(key);
  }

  function weigh(key: string, entry: Entry, listing: Listing): void {
    if (entries.get(key) !== entry) return;
    entry.characters = JSON.stringify(listing).length;
    characters += entry.characters;
    for (const oldest of entries.keys()) if (characters > CHARACTERS_MAX) remove(oldest);
  }

  return {
    get(key, list) {
      const known = entries.get(key);
      if (known && known.expiresAt > now()) return known.listing;
      const entry: Entry = { listing: list(), expiresAt: Number.POSITIVE_INFINITY, characters: 0 };
      entry.listing.then(
        (listing) => {
          entry.expiresAt = now() + listing.ttlMs;
          weigh(key, entry, listing);
        },
        () => {
          entry.expiresAt = now() + FAILURE_KEPT_MS;
        },
      );
      remove(key);
      entries.set(key, entry);
      if (entries.size > LISTINGS_MAX) remove(entries.keys().next().value ?? '');
      return entry.listing;
    },
    drop: remove,
  };
}
