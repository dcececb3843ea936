import { bytesOf, type Encoder, NO_BYTES } from './encoder.ts';

/** Bare float32 samples, little-endian as every machine that Node runs on. */
export function createPcmEncoder(): Encoder {
  return { encode: bytesOf, finish: () => ({ tail: NO_BYTES }), close: () => undefined };
}
