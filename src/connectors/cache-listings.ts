import type { Clock } from '../kit/base/clock.ts';
import type { Era } from './open-session.ts';
import type { ParsedTools } from './parse-tools.ts';

export type Listing = ParsedTools & { era: Era; ttlMs: number };

const LISTINGS_MAX = 256;
/** So that not every run waits for a connector that is down. */
const FAILURE_KEPT_MS = 5000;

export type ListingCache = {
  /** The cached listing, or the result of `list`, which concurrent callers share. */
  get(key: string, list: () => Promise<Listing>): Promise<Listing>;
  drop(key: string): void;
};

/** Keeps a listing for as long as its server says. */
export function createListingCache(now: Clock): ListingCache {
  const entries = new Map<string, { listing: Promise<Listing>; expiresAt: number }>();
  return {
    get(key, list) {
      const known = entries.get(key);
      if (known && known.expiresAt > now()) return known.listing;
      const entry = { listing: list(), expiresAt: Number.POSITIVE_INFINITY };
      entry.listing.then(
        ({ ttlMs }) => {
          entry.expiresAt = now() + ttlMs;
        },
        () => {
          entry.expiresAt = now() + FAILURE_KEPT_MS;
        },
      );
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > LISTINGS_MAX) entries.delete(entries.keys().next().value ?? '');
      return entry.listing;
    },
    drop: (key) => void entries.delete(key),
  };
}
