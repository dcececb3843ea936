const CHARACTERS_MAX = 16 * 1024 * 1024;
const ENTRY_CHARACTERS_MAX = 256 * 1024;

/** An answer as a value, as the JSON text of it, and its tag. */
export type Rendered<W> = { value: W; text: string; etag: string };

/**
 * Answers by their entity tag. A tag names one state for ever, so nothing here can be stale. The oldest makes room;
 * moving an entry at each use would cost more than rendering it anew now and then.
 */
export type RenderedCache<W> = {
  get(etag: string): Rendered<W> | undefined;
  add(entry: Rendered<W>): void;
};

export function createRenderedCache<W>(): RenderedCache<W> {
  const entries = new Map<string, Rendered<W>>();
  let characters = 0;
  return {
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
