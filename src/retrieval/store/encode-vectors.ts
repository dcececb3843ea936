/** Vectors are kept as 16-bit floats, of length one: half the bytes, and the same order in all that matters. */
export function encodeVector(vector: ArrayLike<number>): Uint8Array {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += (vector[i] as number) ** 2;
  const scale = sum > 0 ? 1 / Math.sqrt(sum) : 0;
  const halves = new Float16Array(vector.length);
  for (let i = 0; i < vector.length; i++) halves[i] = (vector[i] as number) * scale;
  return new Uint8Array(halves.buffer);
}

/** A stored vector may begin at any byte of the memory that it was read into. */
export function decodeVector(stored: Uint8Array): Float32Array {
  const bytes = stored.byteOffset % 2 === 0 ? stored : stored.slice();
  return new Float32Array(new Float16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2));
}

export function normalize(vector: ArrayLike<number>): Float32Array {
  return decodeVector(encodeVector(vector));
}

/** The cosine of two vectors of length one. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

export const wordsPerVector = (dimensions: number): number => Math.ceil(dimensions / 32);

/** The signs of a vector, 32 to a word. */
export function packSigns(vector: ArrayLike<number>): Uint32Array {
  const words = new Uint32Array(wordsPerVector(vector.length));
  for (let i = 0; i < vector.length; i++) {
    if ((vector[i] as number) > 0) words[i >>> 5] = ((words[i >>> 5] as number) | (1 << (i & 31))) >>> 0;
  }
  return words;
}
