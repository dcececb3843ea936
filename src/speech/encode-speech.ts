import type { RemoteEncoder } from './encode/encoding-thread.ts';

/** So much sound is encoded at once, that a long sentence begins early and many speakers take turns. */
const SLICE_SECONDS = 1;

export type Spoken = { seconds: number };

/**
 * The bytes of the file as the speech comes into being, and in the end the beginning that it has when all of it is known.
 * `spoken` counts its progress.
 */
export async function* encodeSpeech(
  pieces: AsyncIterable<Float32Array>,
  encoder: RemoteEncoder,
  sampleRate: number,
  spoken: Spoken,
): AsyncGenerator<Uint8Array, Uint8Array | undefined> {
  for await (const piece of pieces) {
    for (const slice of slicesOf(piece, sampleRate * SLICE_SECONDS)) {
      const bytes = await encoder.encode(slice);
      spoken.seconds += slice.length / sampleRate;
      if (bytes.length > 0) yield bytes;
    }
  }
  if (spoken.seconds === 0) return undefined;
  const { tail, head } = await encoder.finish();
  if (tail.length > 0) yield tail;
  return head;
}

/** All pieces, with the beginning that knows the length; undefined when they are more than `bytesMax`. */
export async function keepWhole(
  encoded: AsyncGenerator<Uint8Array, Uint8Array | undefined>,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Uint8Array[] | undefined> {
  const file: Uint8Array[] = [];
  let bytes = 0;
  let next = await encoded.next();
  for (; !next.done; next = await encoded.next()) {
    file.push(next.value);
    bytes += next.value.length;
    if (bytes <= bytesMax) continue;
    await encoded.return(undefined);
    return undefined;
  }
  if (next.value) file[0]?.set(next.value);
  return file;
}

function* slicesOf(samples: Float32Array, length: number): Generator<Float32Array> {
  for (let start = 0; start < samples.length; start += length) yield clamp(samples.slice(start, start + length));
}

/** Whatever an engine hands out, no format gets what lies outside of it. */
function clamp(samples: Float32Array): Float32Array {
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] as number;
    if (!(sample >= -1 && sample <= 1)) samples[i] = Number.isNaN(sample) ? 0 : Math.sign(sample);
  }
  return samples;
}
