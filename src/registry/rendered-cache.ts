const CHARACTERS_MAX = 16 * 1024 * 1024;
const ENTRY_CHARACTERS_MAX = 256 * 1024;

/** A response as a value and as JSON text, with its entity tag. */
export type Rendered<W> = { value: W; text: string; etag: string };

/** Responses by entity tag. A tag names one state for ever, so no entry can be stale. */
export type RenderedCache<W> = {
  get(etag: string): Rendered<W> | undefined;
  add(entry: Rendered<W>): void;
};

export function createRenderedCache<W>(): RenderedCache<W> {
  const entries = new Map<string, Rendered<W>>();
  let characters = 0;
  return {
    // First in, first out: moving an entry at each use would cost more than rendering it again now and then.
    get: (etag) => entries.get(etag),
    add(entry) {
      if (entry.text.length > ENTRY_CHARACTERS_MAX || entries.has(entry.etag)) return;
      entries.set(entry.etag, entry);
      characters += entry.text.length;
      for (const [etag, { text }] of entries) {
        if (characters <= CHARACTERS_MAX) break;
        entries.delete(etag);
        characters -= text.length;
      }
    },
  };
}
