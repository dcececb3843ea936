/** What a burst has left beyond these is given back when the map is empty. */
const KEPT_SLOTS_MAX = 1024;

/**
 * A map for what comes and goes. V8 gives a long-lived `Map` a new table every few changes. The old table survives until the next
 * full collection, and with it whatever was in it and all that this refers to. Here the table has numbers only.
 */
export class SlotMap<Value> {
  readonly #slots = new Map<string, number>();
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.size;
  }

  has(key: string): boolean {
    return this.#slots.has(key);
  }

  get(key: string): Value | undefined {
    const slot = this.#slots.get(key);
    return slot === undefined ? undefined : this.#values[slot];
  }

  set(key: string, value: Value): void {
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      slot = this.#free.pop() ?? this.#values.length;
      this.#slots.set(key, slot);
    }
    this.#values[slot] = value;
  }

  delete(key: string): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#slots.delete(key);
    this.#values[slot] = undefined;
    this.#free.push(slot);
    if (this.#slots.size === 0 && this.#free.length > KEPT_SLOTS_MAX) this.#values.length = this.#free.length = 0;
    return true;
  }

  keys(): IterableIterator<string> {
    return this.#slots.keys();
  }

  *values(): Generator<Value> {
    for (const slot of this.#slots.values()) yield this.#values[slot] as Value;
  }
}
