import { createHash } from 'node:crypto';

const TEXTS_MAX = 5000;

/**
 * What was found in the texts of late. A chat sends its whole history with every turn, so most of its texts have been
 * judged before. Only their digests are kept.
 */
export class RecentScores<T> {
  readonly #found = new Map<string, T>();

  get(text: string): T | undefined {
    const digest = digestOf(text);
    const found = this.#found.get(digest);
    if (found === undefined) return undefined;
    // Moved to the end: the map's order is the order of use.
    this.#found.delete(digest);
    this.#found.set(digest, found);
    return found;
  }

  set(text: string, found: T): void {
    this.#found.set(digestOf(text), found);
    if (this.#found.size <= TEXTS_MAX) return;
    for (const oldest of this.#found.keys()) {
      this.#found.delete(oldest);
      return;
    }
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
