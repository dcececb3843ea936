import type { Tool } from '@modelcontextprotocol/client';
import type { Clock } from '../kit/base/clock.ts';
import type { Era } from './open-session.ts';

export type Listing = { tools: Tool[]; era: Era; ttlMs: number };

const LISTINGS_MAX = 256;
/** A connector that does not answer is left alone for so long: not every run shall wait for it. */
const FAILURE_KEPT_MS = 5000;

export type ToolMemory = {
  /** What is remembered under the key, or else what `list` brings; asked once, however many want it. */
  recall(key: string, list: () => Promise<Listing>): Promise<Listing>;
  forget(key: string): void;
};

/** The lists of connectors, for as long as each says, and no more than so many. */
export function createToolMemory(now: Clock): ToolMemory {
  const entries = new Map<string, { listing: Promise<Listing>; expiresAt: number }>();
  return {
    recall(key, list) {
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
    forget: (key) => void entries.delete(key),
  };
}
