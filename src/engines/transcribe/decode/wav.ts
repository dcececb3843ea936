import { Refusal } from '../../process/protocol.ts';
import type { Decoder, Sound } from './decoder.ts';

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;
const CHUNK_HEAD_BYTES = 8;
const RIFF_HEAD_BYTES = 12;
/** Chunks before the sound, such as pictures. */
const SKIPPED_BYTES_MAX = 64 * 1024 * 1024;
const CHANNELS_MAX = 32;
const RATE_MIN = 1000;
const RATE_MAX = 768_000;

type Format = { sampleRate: number; channels: number; bytes: number; read: (view: DataView, at: number) => number };

/** RIFF with samples of any common kind. A length in the header that lies is not believed: the file's end counts. */
export function createWavDecoder(): Decoder {
  let held: Buffer = Buffer.alloc(0);
  let isBegun = false;
  let format: Format | undefined;
  let skip = 0;
  let skipped = 0;
  let left: number | undefined;

  function decode(bytes: Uint8Array): Sound {
    held = held.length === 0 ? Buffer.from(bytes) : Buffer.concat([held, bytes]);
    if (!isBegun) {
      if (held.length < RIFF_HEAD_BYTES) return nothing();
      held = held.subarray(RIFF_HEAD_BYTES);
      isBegun = true;
    }
    while (left === undefined && readChunk());
    return left === undefined ? nothing() : readSamples();
  }

  /** False when more bytes are needed. */
  function readChunk(): boolean {
    if (skip > 0) {
      const now = Math.min(skip, held.length);
      held = held.subarray(now);
      skip -= now;
      skipped += now;
      if (skipped > SKIPPED_BYTES_MAX) throw damaged('it has no sound within its first 64 MiB');
      if (skip > 0) return false;
    }
    if (held.length < CHUNK_HEAD_BYTES) return false;
    const id = held.toString('latin1', 0, 4);
    const size = held.readUInt32LE(4);
    if (id === 'data') {
      if (!format) throw damaged('its sound comes before its format');
      held = held.subarray(CHUNK_HEAD_BYTES);
      // Streams write 0 or the largest number, because they do not know yet.
      left = size === 0 || size === 0xffffffff ? Number.POSITIVE_INFINITY : size;
      return false;
    }
    if (id === 'fmt ') {
      if (size < 16 || size > 4096) throw damaged('its format has no size that exists');
      if (held.length < CHUNK_HEAD_BYTES + size) return false;
      format = readFormat(held.subarray(CHUNK_HEAD_BYTES, CHUNK_HEAD_BYTES + size));
    }
    skip = CHUNK_HEAD_BYTES + size + (size % 2);
    return true;
  }

  function readSamples(): Sound {
    const { sampleRate, channels, bytes, read } = format as Format;
    const frame = bytes * channels;
    const usable = Math.min(held.length, left as number);
    const frames = Math.floor(usable / frame);
    const view = new DataView(held.buffer, held.byteOffset, frames * frame);
    const sound = Array.from({ length: channels }, () => new Float32Array(frames));
    for (let i = 0; i < frames; i++)
      for (let channel = 0; channel < channels; channel++)
        (sound[channel] as Float32Array)[i] = read(view, i * frame + channel * bytes);
    left = (left as number) - frames * frame;
    held = left < frame ? Buffer.alloc(0) : held.subarray(frames * frame);
    return { channels: sound, sampleRate };
  }

  const nothing = (): Sound => ({ channels: [], sampleRate: 0 });
  return {
    decode,
    flush() {
      if (left === undefined) throw damaged('it ends before its sound begins');
      return nothing();
    },
    close: () => undefined,
  };
}

function readFormat(bytes: Buffer): Format {
  const declared = bytes.readUInt16LE(0);
  const kind = declared === EXTENSIBLE && bytes.length >= 26 ? bytes.readUInt16LE(24) : declared;
  const channels = bytes.readUInt16LE(2);
  const sampleRate = bytes.readUInt32LE(4);
  const bits = bytes.readUInt16LE(14);
  if (channels === 0 || channels > CHANNELS_MAX) throw damaged(`it claims ${channels} channels`);
  if (sampleRate < RATE_MIN || sampleRate > RATE_MAX) throw damaged(`it claims ${sampleRate} samples in a second`);
  const read = readerOf(kind, bits);
  if (!read)
    throw new Refusal(
      'audio_format_unsupported',
      `The wav file holds samples of kind ${kind} with ${bits} bits. Send PCM of 8 to 32 bits, floating point, A-law or mu-law.`,
    );
  return { sampleRate, channels, bytes: bits / 8, read };
}

function readerOf(kind: number, bits: number): Format['read'] | undefined {
  if (kind === PCM && bits === 8) return (view, at) => (view.getUint8(at) - 128) / 128;
  if (kind === PCM && bits === 16) return (view, at) => view.getInt16(at, true) / 32_768;
  if (kind === PCM && bits === 24)
    return (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608;
  if (kind === PCM && bits === 32) return (view, at) => view.getInt32(at, true) / 2_147_483_648;
  if (kind === FLOAT && bits === 32) return (view, at) => finite(view.getFloat32(at, true));
  if (kind === FLOAT && bits === 64) return (view, at) => finite(view.getFloat64(at, true));
  if (kind === A_LAW && bits === 8) return (view, at) => aLaw(view.getUint8(at));
  if (kind === MU_LAW && bits === 8) return (view, at) => muLaw(view.getUint8(at));
  return undefined;
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function muLaw(byte: number): number {
  const value = ~byte & 0xff;
  const magnitude = (((value & 0x0f) << 3) + 0x84) << ((value & 0x70) >> 4);
  return (value & 0x80 ? 0x84 - magnitude : magnitude - 0x84) / 32_768;
}

function aLaw(byte: number): number {
  const value = byte ^ 0x55;
  const exponent = (value & 0x70) >> 4;
  const base = ((value & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? base : (base + 0x100) << (exponent - 1);
  return (value & 0x80 ? magnitude : -magnitude) / 32_768;
}

function damaged(why: string): Refusal {
  return new Refusal('audio_damaged', `The wav file cannot be decoded: ${why}.`);
}
