import type { ReadDocument } from '../chat/index.ts';
import type { Clock } from '../kit/base/clock.ts';

const KEPT_MS = 60 * 60 * 1000;
const CHARACTERS_MAX = 64 * 1024 * 1024;
/** A document beyond it would push out all others. */
const DOCUMENT_CHARACTERS_MAX = 16 * 1024 * 1024;
const OVERHEAD_CHARACTERS = 1024;

type Kept = { read: ReadDocument; pagesMax: number; until: number; characters: number };

export type DocumentCache = {
  /** Only what was read with the same limit. */
  find(key: string, pagesMax: number): ReadDocument | undefined;
  keep(keys: readonly string[], pagesMax: number, read: ReadDocument): void;
};

/** What was read of documents, for an hour and up to some size; the one that was used longest ago goes first. */
export function createDocumentCache(now: Clock): DocumentCache {
  const kept = new Map<string, Kept>();
  let characters = 0;

  function remove(key: string): void {
    characters -= kept.get(key)?.characters ?? 0;
    kept.delete(key);
  }

  return {
    find(key, pagesMax) {
      const found = kept.get(key);
      if (!found || found.pagesMax !== pagesMax) return undefined;
      remove(key);
      if (found.until <= now()) return undefined;
      kept.set(key, found);
      characters += found.characters;
      return found.read;
    },
    keep(keys, pagesMax, read) {
      const size = sizeOf(read);
      if (size > DOCUMENT_CHARACTERS_MAX) return;
      for (const key of keys) {
        remove(key);
        kept.set(key, { read, pagesMax, until: now() + KEPT_MS, characters: size });
        characters += size;
      }
      for (const key of kept.keys()) {
        if (characters <= CHARACTERS_MAX) break;
        remove(key);
      }
    },
  };
}

function sizeOf({ pages }: ReadDocument): number {
  let characters = OVERHEAD_CHARACTERS;
  for (const { markdown, images } of pages) {
    characters += markdown.length;
    for (const image of images) characters += image.length;
  }
  return characters;
}
