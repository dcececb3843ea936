import { engineErrors } from '../errors.ts';

/** What servers mean by pcm: 16 bits, little-endian, one channel, this rate. */
export const PCM_RATE = 24_000;

const RAW: Shape = { isFloat: false, bytes: 2, channels: 1, rate: PCM_RATE };
const HEADER_BYTES_MAX = 64 * 1024;
/** The format and the data, and what editors write before them. */
const HEADER_PARTS_MAX = 64;
const FLOAT = 3;
const PLAIN = 1;
/** Of the header that announces the real format further inside. */
const EXTENSIBLE = 0xfffe;

type Shape = { isFloat: boolean; bytes: number; channels: number; rate: number };

export type SoundReader = {
  /** The samples that these bytes complete, at 24,000 a second. */
  read(chunk: Buffer): Float32Array;
  /** The rest of a response that was too short to recognize its format. */
  end(): Float32Array;
};

/** Takes raw samples or a WAV file, cut anywhere, and gives mono samples. */
export function createSoundReader(): SoundReader {
  let rest: Buffer = Buffer.alloc(0);
  let shape: Shape | undefined;
  /** As long as less has come, the header is not looked at again. */
  let neededBytes = 4;
  let resample = createResampler(PCM_RATE);

  function begin(): void {
    if (rest.length < neededBytes) return;
    if (rest.toString('latin1', 0, 4) !== 'RIFF') {
      shape = RAW;
      return;
    }
    const found = readHeader(rest);
    if ('neededBytes' in found) {
      neededBytes = found.neededBytes;
      if (neededBytes > HEADER_BYTES_MAX) throw engineErrors.upstream_invalid_response();
      return;
    }
    shape = found.shape;
    resample = createResampler(shape.rate);
    rest = rest.subarray(found.dataAt);
  }

  return {
    read(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (!shape) begin();
      if (!shape) return new Float32Array(0);
      const frameBytes = shape.bytes * shape.channels;
      const usable = rest.length - (rest.length % frameBytes);
      const samples = toMono(rest.subarray(0, usable), shape);
      rest = Buffer.from(rest.subarray(usable));
      return resample(samples);
    },
    end() {
      return shape ? new Float32Array(0) : toMono(rest.subarray(0, rest.length - (rest.length % 2)), RAW);
    },
  };
}

/** Where the data begins, or how many bytes it takes to read on. */
function readHeader(bytes: Buffer): { shape: Shape; dataAt: number } | { neededBytes: number } {
  let shape: Shape | undefined;
  let at = 12;
  for (let parts = 0; at + 8 <= bytes.length; parts++) {
    if (parts > HEADER_PARTS_MAX) throw engineErrors.upstream_invalid_response();
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (id === 'data') {
      if (!shape) throw engineErrors.upstream_invalid_response();
      return { shape, dataAt: at + 8 };
    }
    if (at + 8 + size > bytes.length) return { neededBytes: at + 8 + size };
    if (id === 'fmt ') shape = readFormat(bytes.subarray(at + 8, at + 8 + size));
    at += 8 + size + (size % 2);
  }
  return { neededBytes: at + 8 };
}

function readFormat(format: Buffer): Shape {
  if (format.length < 16) throw engineErrors.upstream_invalid_response();
  const stated = format.readUInt16LE(0);
  const kind = stated === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : stated;
  const shape = {
    isFloat: kind === FLOAT,
    channels: format.readUInt16LE(2),
    rate: format.readUInt32LE(4),
    bytes: format.readUInt16LE(14) / 8,
  };
  const isKnown = (kind === PLAIN && shape.bytes === 2) || (kind === FLOAT && shape.bytes === 4);
  if (!isKnown || shape.channels < 1 || shape.channels > 8 || shape.rate < 4000 || shape.rate > 192_000)
    throw engineErrors.upstream_invalid_response();
  return shape;
}

function toMono(bytes: Buffer, { isFloat, bytes: width, channels }: Shape): Float32Array {
  const samples = new Float32Array(bytes.length / (width * channels));
  for (let i = 0; i < samples.length; i++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) {
      const at = (i * channels + channel) * width;
      sum += isFloat ? bytes.readFloatLE(at) : bytes.readInt16LE(at) / 32_768;
    }
    samples[i] = sum / channels;
  }
  return samples;
}

/** By straight lines between neighbours; what is between the last sample and the next chunk waits for it. */
function createResampler(rate: number): (samples: Float32Array) => Float32Array {
  if (rate === PCM_RATE) return (samples) => samples;
  const step = rate / PCM_RATE;
  let last: number | undefined;
  /** Where the next sample lies, counted from the first of what `last` and the new samples make together. */
  let position = 0;
  return (samples) => {
    if (samples.length === 0) return samples;
    const all = last === undefined ? samples : after(last, samples);
    const made: number[] = [];
    for (; position + 1 < all.length; position += step) {
      const at = Math.floor(position);
      const [from = 0, to = 0] = [all[at], all[at + 1]];
      made.push(from + (to - from) * (position - at));
    }
    position -= all.length - 1;
    last = all.at(-1);
    return Float32Array.from(made);
  };
}

function after(first: number, samples: Float32Array): Float32Array {
  const all = new Float32Array(samples.length + 1);
  all[0] = first;
  all.set(samples, 1);
  return all;
}
