import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../../test/support/databases.ts';
import { Refusal } from '../../process/protocol.ts';
import { audioFixture, keepFile, makeTone, makeWav, readFixture, type WavOptions } from '../sounds-for-tests.ts';
import { decodeFile } from './decode-file.ts';

const never = new AbortController().signal;

async function decode(file: string, secondsMax = 3600) {
  const pcmFile = join(temporaryDir(), 'audio.pcm');
  let samples = 0;
  const report = (count: number) => {
    samples = count;
  };
  await decodeFile({ file, pcmFile, secondsMax }, report, never);
  const pcm = readFileSync(pcmFile);
  const values = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2);
  const loudness = Math.sqrt(values.reduce((sum, value) => sum + (value / 32_768) ** 2, 0) / values.length);
  expect(values).toHaveLength(samples);
  return { seconds: samples / 16_000, loudness };
}

async function refusal(bytes: Uint8Array, secondsMax?: number): Promise<[string, string]> {
  const error = await decode(keepFile(bytes), secondsMax).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Refusal);
  const { code, message } = error as Refusal;
  return [code, message];
}

describe('formats', () => {
  it.each([
    ['opus.ogg', 4.6],
    ['opus.webm', 4.6],
    ['vorbis.ogg', 4.6],
    ['speech.mp3', 4.6],
    ['second.flac', 1],
  ])('%s is decoded to 16 kHz, as long and as loud as it was', async (name, wanted) => {
    const { seconds, loudness } = await decode(audioFixture(name));
    expect(Math.abs(seconds - wanted)).toBeLessThan(0.1);
    expect(loudness).toBeGreaterThan(0.02);
    expect(loudness).toBeLessThan(0.3);
  });

  it.each<[string, WavOptions]>([
    ['8 bits', { bits: 8 as const }],
    ['16 bits', {}],
    ['24 bits', { bits: 24 as const }],
    ['32 bits', { bits: 32 as const }],
    ['floating point', { bits: 32 as const, kind: 3 }],
    ['8 kHz, as on the telephone', { rate: 8000 }],
    ['48 kHz on two channels', { rate: 48_000, channels: 2 }],
    ['a length in the header that is not known yet', { dataBytes: 0xffffffff }],
  ])('a wav file with %s keeps its length and loudness', async (_name, options) => {
    const { seconds, loudness } = await decode(keepFile(makeWav(makeTone(1, options.rate), options)));
    expect(Math.abs(seconds - 1)).toBeLessThan(0.01);
    expect(Math.abs(loudness - 0.3535)).toBeLessThan(0.02);
  });
});

describe('bad input is refused with what to do', () => {
  it.each([
    ['nothing at all', Buffer.alloc(0), 'audio_empty'],
    ['text', Buffer.from('This is no audio, whatever its name says.'), 'audio_format_unsupported'],
    ['a picture that claims to be audio', Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1'), 'audio_format_unsupported'],
    ['zeros', Buffer.alloc(5000), 'audio_format_unsupported'],
    ['a head without sound', makeWav(new Float32Array(0)), 'audio_empty'],
    ['half a head', makeWav(makeTone(1)).subarray(0, 30), 'audio_damaged'],
    ['a rate of zero', makeWav(makeTone(1), { rate: 0 }), 'audio_damaged'],
    ['an impossible rate', makeWav(makeTone(0.1), { rate: 4_000_000_000 }), 'audio_damaged'],
    ['samples of an unknown kind', makeWav(makeTone(1), { kind: 85 }), 'audio_format_unsupported'],
    ['mp3 that is only a head', Buffer.concat([Buffer.from('ID3'), Buffer.alloc(200)]), 'audio_empty'],
    ['a flac file that is cut off in its head', readFixture('second.flac').subarray(0, 20), 'audio_empty'],
    ['an ogg file whose sound is noise', garbled('opus.ogg'), 'audio_empty'],
    ['a webm file that is cut off in its head', readFixture('opus.webm').subarray(0, 60), 'audio_damaged'],
  ])('%s', async (_name, bytes, code) => {
    const [found, message] = await refusal(bytes);
    expect([found, message.length > 20]).toEqual([code, true]);
  });

  it('m4a is refused with how to add its decoder', async () => {
    const [code, message] = await refusal(readFixture('aac.m4a'));
    expect([code, message]).toEqual(['audio_format_unsupported', expect.stringContaining('@audio/decode-aac')]);
  });

  it('audio beyond the limit is refused as soon as the limit is reached', async () => {
    const [code, message] = await refusal(makeWav(makeTone(3)), 2);
    expect([code, message]).toEqual(['audio_duration_exceeded', expect.stringContaining('hours_max')]);
  });

  it('a header that claims gigabytes costs nothing, and the sound that is there is used', async () => {
    const { seconds } = await decode(keepFile(makeWav(makeTone(1), { dataBytes: 4_000_000_000 })));
    expect(seconds).toBe(1);
  });

  it('a header that claims twelve hours is not believed: the second that is there is used', async () => {
    const bytes = Buffer.from(readFixture('second.flac'));
    const rate = bytes.readUIntBE(18, 3) >> 4;
    // The number of samples has 36 bits, of which the lowest 32 suffice.
    bytes.writeUInt32BE(Math.min(12 * 3600 * rate, 0xffffffff), 22);
    const { seconds } = await decode(keepFile(bytes));
    expect(Math.abs(seconds - 1)).toBeLessThan(0.1);
  });

  it('a file that is cut off is used as far as it goes', async () => {
    const whole = readFixture('speech.mp3');
    const { seconds } = await decode(keepFile(whole.subarray(0, whole.length / 2)));
    expect(Math.abs(seconds - 2.3)).toBeLessThan(0.3);
  });
});

/** Everything behind the first pages is noise. */
function garbled(name: string): Buffer {
  const bytes = Buffer.from(readFixture(name));
  for (let i = 60; i < bytes.length; i++) bytes[i] = (i * 31) & 0xff;
  return bytes;
}
