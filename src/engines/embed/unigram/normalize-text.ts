import type { UnigramModel } from './read-sentencepiece.ts';

const SPACE = 0x20;
/** U+2581, which stands for a space in the vocabulary. */
const SPACE_MARK = [0xe2, 0x96, 0x81] as const;

/** Gives the UTF-8 bytes of a text as the vocabulary spells it: compatibility forms replaced, spaces as U+2581. */
export function createNormalizer(model: UnigramModel): (text: string) => Uint8Array {
  const { charsmap, addsPrefix, removesExtraSpaces } = model;
  const unitBytes = charsmap.length === 0 ? 0 : charsmap.readUInt32LE();
  // A copy, because four-byte units need to be aligned.
  const units = new Uint32Array(new Uint8Array(charsmap.subarray(4, 4 + unitBytes)).buffer);
  const replacements = charsmap.subarray(4 + unitBytes);

  // The table is a double array trie (darts-clone): from a unit to its child by exclusive or with the next byte.
  const childrenOf = (unit: number) => (unit >>> 10) << ((unit & 0x200) >>> 6);

  /** The longest replacement that begins here, as its place in `replacements` and the bytes that it takes. */
  function findReplacement(bytes: Uint8Array, start: number): { at: number; length: number } | undefined {
    let unit = units[0];
    if (unit === undefined) return undefined;
    let found: { at: number; length: number } | undefined;
    let node = childrenOf(unit);
    for (let end = start; end < bytes.length; end++) {
      const byte = bytes[end] as number;
      node ^= byte;
      unit = units[node] ?? 0;
      if ((unit & 0x8000_00ff) >>> 0 !== byte) break;
      node ^= childrenOf(unit);
      if (unit & 0x100) found = { at: (units[node] ?? 0) & 0x7fff_ffff, length: end + 1 - start };
    }
    return found;
  }

  return (text) => {
    const bytes = Buffer.from(text);
    const out = new BytesWriter(bytes.length + 16);
    let wasSpace = removesExtraSpaces;
    let isEmpty = true;
    const put = (byte: number) => {
      if (byte === SPACE && wasSpace) return;
      if (isEmpty && addsPrefix) out.pushMark();
      isEmpty = false;
      if (byte === SPACE) out.pushMark();
      else out.push(byte);
      wasSpace = byte === SPACE && removesExtraSpaces;
    };
    for (let at = 0; at < bytes.length; ) {
      const found = findReplacement(bytes, at);
      if (found) {
        for (let i = found.at; replacements[i]; i++) put(replacements[i] as number);
        at += found.length;
      } else {
        for (const end = at + lengthOfCharacter(bytes[at] as number); at < end; at++) put(bytes[at] as number);
      }
    }
    if (removesExtraSpaces) out.trimMarks();
    return out.written();
  };
}

/** In bytes, from its first one. */
export function lengthOfCharacter(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

class BytesWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }

  pushMark(): void {
    for (const byte of SPACE_MARK) this.push(byte);
  }

  trimMarks(): void {
    while (SPACE_MARK.every((byte, i) => this.#length >= 3 && this.#bytes[this.#length - 3 + i] === byte))
      this.#length -= 3;
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}
