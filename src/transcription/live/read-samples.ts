import { createResampler } from '../../kit/base/resample.ts';
import type { AudioFormat, Encoding } from './schema.ts';

const MODEL_RATE = 16_000;
const BYTES: Record<Encoding, number> = {
  pcm_s16le: 2,
  pcm_s32le: 4,
  pcm_f16le: 2,
  pcm_f32le: 4,
  pcm_mulaw: 1,
  pcm_alaw: 1,
};

export type SampleReader = {
  /** Samples at the rate of the models. Bytes of half a sample wait for the rest of it. */
  read(bytes: Uint8Array): Float32Array;
  /** What the last samples still give. */
  finish(): Float32Array;
};

/** Raw audio of a session as the models take it. */
export function createSampleReader({ encoding, sample_rate }: AudioFormat): SampleReader {
  const width = BYTES[encoding];
  const resampler = sample_rate === MODEL_RATE ? undefined : createResampler(sample_rate, MODEL_RATE);
  let rest = new Uint8Array(0);

  return {
    read(bytes) {
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const count = Math.floor(all.length / width);
      rest = all.slice(count * width) as Uint8Array<ArrayBuffer>;
      const samples = decode(encoding, new DataView(all.buffer, all.byteOffset, count * width), count);
      return resampler ? resampler.resample(samples) : samples;
    },
    finish: () => resampler?.finish() ?? new Float32Array(0),
  };
}

function decode(encoding: Encoding, view: DataView, count: number): Float32Array {
  const samples = new Float32Array(count);
  const value = VALUES[encoding];
  for (let i = 0; i < count; i++) samples[i] = bounded(value(view, i));
  return samples;
}

/** What is no number is silence. */
function bounded(value: number): number {
  return value >= -1 && value <= 1 ? value : Number.isNaN(value) ? 0 : Math.sign(value);
}

const VALUES: Record<Encoding, (view: DataView, index: number) => number> = {
  pcm_s16le: (view, i) => view.getInt16(i * 2, true) / 32_768,
  pcm_s32le: (view, i) => view.getInt32(i * 4, true) / 2_147_483_648,
  pcm_f16le: (view, i) => halfFloat(view.getUint16(i * 2, true)),
  pcm_f32le: (view, i) => view.getFloat32(i * 4, true),
  pcm_mulaw: (view, i) => mulaw(view.getUint8(i)),
  pcm_alaw: (view, i) => alaw(view.getUint8(i)),
};

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

/** ITU-T G.711. */
function mulaw(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4);
  return (bits & 0x80 ? 0x84 - magnitude : magnitude - 0x84) / 32_768;
}

/** ITU-T G.711. */
function alaw(byte: number): number {
  const bits = byte ^ 0x55;
  const segment = (bits & 0x70) >> 4;
  const base = (bits & 0x0f) << 4;
  const magnitude = segment === 0 ? base + 8 : (base + 0x108) << (segment - 1);
  return (bits & 0x80 ? magnitude : -magnitude) / 32_768;
}
