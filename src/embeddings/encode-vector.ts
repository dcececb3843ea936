import type { EmbeddingDtype, EncodingFormat } from './schema.ts';

/** The first `dimension` numbers, of length one again: a shortened vector must still compare by its angle. */
export function shorten(vector: Float32Array, dimension: number): Float32Array {
  const part = vector.slice(0, dimension);
  const length = Math.hypot(...part);
  return length === 0 ? part : part.map((value) => value / length);
}

/**
 * Floats as they are, or fewer bits. Integers are scaled by the largest number of the vector, which keeps all the
 * resolution there is and leaves angles between vectors alone. Bits are the signs, eight to a byte, first
 * dimension in the highest bit; `binary` is the same byte less 128.
 */
export function encodeVector(vector: Float32Array, dtype: EmbeddingDtype, format: EncodingFormat): number[] | string {
  const typed = quantize(vector, dtype);
  return format === 'base64'
    ? Buffer.from(typed.buffer, typed.byteOffset, typed.byteLength).toString('base64')
    : Array.from(typed);
}

function quantize(vector: Float32Array, dtype: EmbeddingDtype): Float32Array | Int8Array | Uint8Array {
  switch (dtype) {
    case 'float':
      return vector;
    case 'int8':
      return Int8Array.from(scaled(vector));
    case 'uint8':
      return Uint8Array.from(scaled(vector), (value) => value + 128);
    case 'binary':
      return Int8Array.from(signBytes(vector), (byte) => byte - 128);
    case 'ubinary':
      return signBytes(vector);
  }
}

function scaled(vector: Float32Array): Float32Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return largest === 0 ? vector : vector.map((value) => Math.round((value / largest) * 127));
}

function signBytes(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8));
  for (const [i, value] of vector.entries()) {
    if (value > 0) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (0x80 >> (i & 7));
  }
  return bytes;
}
