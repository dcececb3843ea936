/** What all files of one run may hold together. Memory that a file once took counts as long as the file is there. */
export type Budget = { take(bytes: number): boolean; give(bytes: number): void };

export function createBudget(bytesMax: number): Budget {
  let left = bytesMax;
  return {
    take(bytes) {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    give(bytes) {
      left += bytes;
    },
  };
}

/** A file in memory. It grows by doubling, within the budget, and never shows bytes that were not written to it. */
export class MemoryFile {
  modified = new Date();
  accessed = new Date();
  #data: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #size = 0;
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get size(): number {
    return this.#size;
  }

  /** A view; copy it to keep it. */
  read(from: number, bytes: number): Uint8Array {
    const start = Math.min(from, this.#size);
    return this.#data.subarray(start, Math.min(start + bytes, this.#size));
  }

  /** False when the budget has no room. */
  write(data: Uint8Array, at: number): boolean {
    const end = at + data.byteLength;
    if (end > this.#size && !this.resize(end)) return false;
    this.#data.set(data, at);
    this.modified = new Date();
    return true;
  }

  resize(size: number): boolean {
    if (size > this.#data.byteLength && !this.#grow(size)) return false;
    if (size < this.#size) this.#data.fill(0, size, this.#size);
    this.#size = size;
    return true;
  }

  /** Gives back what it took. */
  release(): void {
    this.#budget.give(this.#data.byteLength);
    this.#data = new Uint8Array(0);
    this.#size = 0;
  }

  #grow(size: number): boolean {
    const doubled = Math.max(size, 2 * this.#data.byteLength);
    const capacity = [doubled, size].find((wanted) => this.#budget.take(wanted - this.#data.byteLength));
    if (capacity === undefined) return false;
    const grown = new Uint8Array(capacity);
    grown.set(this.#data);
    this.#data = grown;
    return true;
  }
}
