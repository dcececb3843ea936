import { createHash } from 'node:crypto';

const TEXTS_MAX = 5000;

/** Caches scores by the digest of the text: a chat sends its whole history with every turn. */
export class RecentScores<T> {
  readonly #found = new Map<string, T>();

  get(text: string, isClose: boolean): T | undefined {
    const digest = digestOf(text, isClose);
    const found = this.#found.get(digest);
    if (found === undefined) return undefined;
    // Moved to the end, so that the first key is the least recently used.
    this.#found.delete(digest);
    this.#found.set(digest, found);
    return found;
  }

  set(text: string, isClose: boolean, found: T): void {
    this.#found.set(digestOf(text, isClose), found);
    if (this.#found.size <= TEXTS_MAX) return;
    for (const oldest of this.#found.keys()) {
      this.#found.delete(oldest);
      return;
    }
  }
}

function digestOf(text: string, isClose: boolean): string {
  return createHash('sha256')
    .update(isClose ? 'close ' : 'rough ')
    .update(text)
    .digest('base64');
}
