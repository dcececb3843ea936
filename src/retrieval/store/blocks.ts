import { wordsPerVector } from './encode-vectors.ts';

/** The vectors of so many neighbouring chunk ids are one row, so that a scan reads few rows. */
export const SLOTS_PER_BLOCK = 1024;

export type Block = { present: Uint8Array; bits: Uint8Array };

const ABSENT = 0xffff;

export function emptyBlock(dimensions: number): Block {
  const words = SLOTS_PER_BLOCK * wordsPerVector(dimensions);
  return { present: new Uint8Array(SLOTS_PER_BLOCK / 8), bits: new Uint8Array(words * 4) };
}

export function setSlot(block: Block, slot: number, signs: Uint32Array): void {
  block.bits.set(new Uint8Array(signs.buffer, signs.byteOffset, signs.byteLength), slot * signs.byteLength);
  block.present[slot >>> 3] = (block.present[slot >>> 3] as number) | (1 << (slot & 7));
}

export function clearSlots(block: Block, from: number, to: number): void {
  const bytes = block.bits.byteLength / SLOTS_PER_BLOCK;
  block.bits.fill(0, from * bytes, to * bytes);
  for (let slot = from; slot < to; slot++)
    block.present[slot >>> 3] = (block.present[slot >>> 3] as number) & ~(1 << (slot & 7));
}

export const isEmpty = (block: Block): boolean => block.present.every((byte) => byte === 0);

/** Collects the distances of all vectors of a collection, and then those that are nearest by their signs. */
export class NearestSigns {
  readonly #signs: Uint32Array;
  readonly #allowed: Uint8Array | undefined;
  readonly #distances: Uint16Array;
  readonly #counts: Uint32Array;

  /** `span`: one more than the largest number of a chunk. `allowed`: whether a chunk may be found, by its number. */
  constructor(signs: Uint32Array, span: number, allowed: Uint8Array | undefined) {
    this.#signs = signs;
    this.#allowed = allowed;
    this.#distances = new Uint16Array(span).fill(ABSENT);
    this.#counts = new Uint32Array(signs.length * 32 + 1);
  }

  add(blockNo: number, { present, bits }: Block): void {
    const signs = this.#signs;
    const width = signs.length;
    const allowed = this.#allowed;
    const distances = this.#distances;
    const counts = this.#counts;
    const words = asWords(bits);
    const first = blockNo * SLOTS_PER_BLOCK;
    const end = Math.min(SLOTS_PER_BLOCK, distances.length - first);
    for (let slot = 0; slot < end; slot++) {
      if (((present[slot >>> 3] as number) & (1 << (slot & 7))) === 0) continue;
      if (allowed !== undefined && allowed[first + slot] === 0) continue;
      let distance = 0;
      const at = slot * width;
      for (let i = 0; i < width; i++) {
        let bit = (words[at + i] as number) ^ (signs[i] as number);
        bit -= (bit >>> 1) & 0x55555555;
        bit = (bit & 0x33333333) + ((bit >>> 2) & 0x33333333);
        bit = (bit + (bit >>> 4)) & 0x0f0f0f0f;
        distance += Math.imul(bit, 0x01010101) >>> 24;
      }
      distances[first + slot] = distance;
      counts[distance] = (counts[distance] as number) + 1;
    }
  }

  /** The numbers of at least `wanted` nearest chunks, where there are so many: all at the last distance are included. */
  nearest(wanted: number): number[] {
    let farthest = 0;
    let found = 0;
    for (; farthest < this.#counts.length; farthest++) {
      found += this.#counts[farthest] as number;
      if (found >= wanted) break;
    }
    const numbers: number[] = [];
    const distances = this.#distances;
    for (let number = 0; number < distances.length; number++) {
      if ((distances[number] as number) <= farthest) numbers.push(number);
    }
    return numbers.length <= wanted * 2
      ? numbers
      : numbers.sort((a, b) => (distances[a] as number) - (distances[b] as number)).slice(0, wanted * 2);
  }
}

function asWords(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
