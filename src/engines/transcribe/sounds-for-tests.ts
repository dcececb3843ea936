import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDir } from '../../../test/support/databases.ts';
import { decodeFile } from './decode/decode-file.ts';
import { readPcm } from './read-pcm.ts';
import { SAMPLE_RATE } from './transcription-engine.ts';

/** A voice says: "We will meet on Thursday at half past nine in the small conference room." */
export const SPOKEN = 'We will meet on Thursday at half past nine in the small conference room';

export function audioFixture(name: string): string {
  return fileURLToPath(new URL(`../../../test/fixtures/audio/${name}`, import.meta.url));
}

/** The samples of a fixture, of at most a minute. */
export async function samplesOf(fixture: string): Promise<Float32Array> {
  const pcmFile = join(temporaryDir(), 'fixture.pcm');
  await decodeFile(
    { file: audioFixture(fixture), pcmFile, secondsMax: 60 },
    () => undefined,
    new AbortController().signal,
  );
  const file = await open(pcmFile, 'r');
  try {
    return await readPcm(file, 0, 60 * SAMPLE_RATE);
  } finally {
    await file.close();
  }
}

export type WavOptions = {
  rate?: number;
  channels?: number;
  bits?: 8 | 16 | 24 | 32;
  kind?: number;
  dataBytes?: number;
};

/** A RIFF file of these samples, each on all channels; the header may lie. */
export function makeWav(samples: Float32Array, options: WavOptions = {}): Buffer {
  const { rate = 16_000, channels = 1, bits = 16, kind = 1 } = options;
  const bytes = bits / 8;
  const data = Buffer.alloc(samples.length * channels * bytes);
  for (const [i, sample] of samples.entries())
    for (let channel = 0; channel < channels; channel++) {
      const at = (i * channels + channel) * bytes;
      const value = Math.max(-1, Math.min(1, sample));
      if (bits === 8) data.writeUInt8(Math.round(value * 127) + 128, at);
      else if (kind === 3) data.writeFloatLE(value, at);
      else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, bytes);
    }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(kind, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE((rate * channels * bytes) % 2 ** 32, 28);
  head.writeUInt16LE(channels * bytes, 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(options.dataBytes ?? data.length, 40);
  return Buffer.concat([head, data]);
}

/** A tone, which is loud but says nothing. */
export function makeTone(seconds: number, rate = 16_000): Float32Array {
  return Float32Array.from({ length: seconds * rate }, (_, i) => 0.5 * Math.sin((2 * Math.PI * 440 * i) / rate));
}

/** The same noise each time. */
export function makeNoise(seconds: number, loudness = 0.1): Float32Array {
  let state = 1;
  return Float32Array.from({ length: seconds * 16_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * loudness;
  });
}

export function keepFile(bytes: Uint8Array, name = 'audio'): string {
  const file = join(temporaryDir(), name);
  writeFileSync(file, bytes);
  return file;
}

export const readFixture = (name: string) => readFileSync(audioFixture(name));
