const BYTES_MAX = 6 * 1024 * 1024;
const ENTRY_CHARACTERS_MAX = 256 * 1024;
/** Two bytes at most for each character, in the value and in the text. */
const BYTES_PER_CHARACTER = 4;
const BYTES_PER_ENTRY = 512;

/** A response as a value and as JSON text, with its entity tag. */
export type Rendered<W> = { value: W; text: string; etag: string };

/** Responses by entity tag. A tag names one state for ever, so no entry can be stale. */
export type RenderedCache<W> = {
  get(etag: string): Rendered<W> | undefined;
  add(entry: Rendered<W>): void;
};

export function createRenderedCache<W>(): RenderedCache<W> {
  const entries = new Map<string, Rendered<W>>();
  let bytes = 0;
  return {
    // First in, first out: moving an entry at each use would cost more than rendering it again now and then.
    get: (etag) => entries.get(etag),
    add(entry) {
      if (entry.text.length > ENTRY_CHARACTERS_MAX || entries.has(entry.etag)) return;
      entries.set(entry.etag, entry);
      bytes += bytesOf(entry);
      for (const [etag, oldest] of entries) {
        if (bytes <= BYTES_MAX) break;
        entries.delete(etag);
        bytes -= bytesOf(oldest);
      }
    },
  };
}

/** What a cached response needs at most. */
export function bytesOf({ text }: Rendered<unknown>): number {
  return text.length * BYTES_PER_CHARACTER + BYTES_PER_ENTRY;
}
