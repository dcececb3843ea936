const HALF_LIFE_MS = 1000;
const FORGOTTEN_MS = 20 * HALF_LIFE_MS;
const KNOWN_MAX = 1000;

/** How much time each name has used lately: what was used a second ago counts half. */
export class UsedTime {
  readonly #known = new Map<string, { ms: number; at: number }>();

  add(name: string, ms: number): void {
    const now = performance.now();
    this.#known.set(name, { ms: this.of(name, now) + ms, at: now });
    if (this.#known.size > KNOWN_MAX)
      for (const [other, { at }] of this.#known) if (now - at > FORGOTTEN_MS) this.#known.delete(other);
  }

  of(name: string, now = performance.now()): number {
    const known = this.#known.get(name);
    return known ? known.ms * 0.5 ** ((now - known.at) / HALF_LIFE_MS) : 0;
  }
}
