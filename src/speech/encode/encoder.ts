/**
 * Turns mono samples from -1 to 1 into the bytes of one file, piece by piece. All bytes in their order are the file as
 * it is streamed: what its beginning should say of its length is marked as unknown there.
 */
export type Encoder = {
  encode(samples: Float32Array): Uint8Array;
  finish(): Finished;
  /** Gives back what it holds; also after `finish`. */
  close(): void;
};

/** `head` takes the place of the file's first bytes where the whole file is kept: it knows the length. */
export type Finished = { tail: Uint8Array; head?: Uint8Array };

export const NO_BYTES = new Uint8Array(0);

/** Sixteen bits, for formats that have integers. */
export function toInt16(samples: Float32Array): Int16Array {
  const integers = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i++) integers[i] = Math.round((samples[i] as number) * 32_767);
  return integers;
}

export function bytesOf({ buffer, byteOffset, byteLength }: Int16Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}
