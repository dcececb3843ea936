import { describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { decode, ffmpeg, purityOf } from '../../../test/support/ffmpeg.ts';
import { createResampler } from '../../kit/base/resample.ts';
import { type Format, formats } from '../schema/speech.ts';
import { TONE_HERTZ, tone } from '../speech-for-tests.ts';
import { createEncodingThread } from './encoding-thread.ts';

const encoding = createEncodingThread();
atEnd(() => encoding.stop());

const SECONDS = 2.34;

/** The file in pieces of uneven lengths, as it is streamed and as it is when all of it is kept. */
async function encode(format: Format, sampleRate: number, samples = tone(SECONDS, sampleRate)) {
  const encoder = encoding.open(format, sampleRate);
  const bytes: Uint8Array[] = [];
  for (let start = 0, length = 7; start < samples.length; start += length, length = (length * 31) % 9973)
    bytes.push(await encoder.encode(samples.subarray(start, start + length)));
  const { tail, head } = await encoder.finish();
  encoder.close();
  const streamed = Buffer.concat([...bytes, tail]);
  const whole = Buffer.from(streamed);
  if (head) whole.set(head);
  return { streamed, whole };
}

describe.runIf(ffmpeg)('ffmpeg', () => {
  const cases = [
    ...formats.flatMap((format) => [24_000, 22_050].map((rate) => [format, rate] as const)),
    ['opus', 44_100] as const,
    ['mp3', 11_000] as const,
  ];
  it.each(cases)(
    'decodes %s of %i samples a second, streamed and whole, with no error and the right length',
    async (format, rate) => {
      const { streamed, whole } = await encode(format, rate);
      for (const file of [streamed, whole]) {
        const { samples, complaints } = decode(file, format, rate);
        expect(complaints).toBe('');
        // An mp3 file has whole frames, and silence of the encoder's before the first sound.
        const [shorter, longer] = format === 'mp3' ? [0, 0.12] : [0.0002, 0.0002];
        expect(samples.length / rate).toBeGreaterThan(SECONDS - shorter);
        expect(samples.length / rate).toBeLessThan(SECONDS + longer);
        expect(purityOf(samples, TONE_HERTZ, rate)).toBeGreaterThan(format === 'mp3' ? 0.95 : 0.99);
      }
    },
  );
});

describe('a file that is kept whole', () => {
  it('says its length where wav has it, and in a stream that it is unknown', async () => {
    const { streamed, whole } = await encode('wav', 8000);
    const bytes = SECONDS * 8000 * 2;
    expect([whole.readUInt32LE(4), whole.readUInt32LE(40), whole.length]).toEqual([bytes + 36, bytes, bytes + 44]);
    expect([streamed.readUInt32LE(4), streamed.readUInt32LE(40)]).toEqual([0xffff_ffff, 0xffff_ffff]);
  });

  it('says its samples and their checksum where flac has them', async () => {
    const { streamed, whole } = await encode('flac', 8000);
    expect(whole.readUInt32BE(22)).toBe(SECONDS * 8000);
    expect(whole.subarray(26, 42).equals(Buffer.alloc(16))).toBe(false);
    expect(streamed.readUInt32BE(22)).toBe(0);
    expect(streamed.subarray(26, 42).equals(Buffer.alloc(16))).toBe(true);
  });
});

it('the last page of opus says that it is the last, and how long the sound is', async () => {
  const { streamed } = await encode('opus', 24_000);
  const last = streamed.lastIndexOf('OggS');
  expect(streamed[last + 5]).toBe(4);
  expect(streamed.readBigUInt64LE(last + 6)).toBe(BigInt(312 + SECONDS * 48_000));
});

it('a second of sound is some kilobytes, whatever the codec', async () => {
  const sizes = await Promise.all(formats.map(async (format) => (await encode(format, 24_000)).whole.length / SECONDS));
  const [pcm, wav, mp3 = 0, flac = 0, opus = 0] = sizes;
  expect([pcm, Math.round(wav ?? 0)]).toEqual([96_000, 48_019]);
  expect(mp3).toBeLessThan(9000);
  expect(flac).toBeLessThan(40_000);
  expect(opus).toBeLessThan(6000);
});

it('many files at once do not touch one another', async () => {
  const alone = await encode('opus', 24_000);
  const together = await Promise.all(Array.from({ length: 8 }, () => encode('opus', 24_000)));
  for (const { streamed } of together) expect(streamed.equals(alone.streamed)).toBe(true);
});

it('a codec that does not start is an error, and the next one works', async () => {
  const encoder = encoding.open('flac', 0);
  await expect(encoder.encode(tone(1, 8000))).rejects.toThrow('Encoding as flac failed');
  encoder.close();
  expect((await encode('flac', 8000)).whole.length).toBeGreaterThan(1000);
});

it('a thread that ends takes its encoders with it, and the next encoder gets a new one', async () => {
  const own = createEncodingThread();
  const encoder = own.open('mp3', 24_000);
  const waiting = expect(encoder.encode(tone(1, 24_000))).rejects.toThrow('The encoding thread ended.');
  await own.stop();
  await waiting;
  await expect(encoder.encode(tone(1, 24_000))).rejects.toThrow('The encoding thread ended.');
  expect((await own.open('pcm', 24_000).encode(tone(1, 24_000))).length).toBe(96_000);
  await own.stop();
});

describe('another sample rate', () => {
  it.each([
    [22_050, 24_000],
    [44_100, 48_000],
    [11_000, 12_000],
    [96_000, 48_000],
  ])('from %i to %i keeps the tone and the length, in pieces of any size', (from, to) => {
    const samples = tone(1, from);
    const resampler = createResampler(from, to);
    const pieces: Float32Array[] = [];
    for (let start = 0, length = 1; start < samples.length; start += length, length = (length * 7) % 1000)
      pieces.push(resampler.resample(samples.subarray(start, start + length)));
    const output = Float32Array.from([...pieces, resampler.finish()].flatMap((piece) => [...piece]));
    expect(output).toHaveLength(to);
    const expected = tone(1, to);
    const worst = output
      .subarray(100, -100)
      .reduce((most, sample, i) => Math.max(most, Math.abs(sample - (expected[i + 100] ?? 0))), 0);
    expect(worst).toBeLessThan(0.01);
  });

  it('lower than the sound is no new sound', () => {
    const resampler = createResampler(48_000, 8000);
    const high = Float32Array.from({ length: 48_000 }, (_, i) => Math.sin((2 * Math.PI * 10_000 * i) / 48_000));
    const output = resampler.resample(high);
    expect(Math.max(...output.subarray(100))).toBeLessThan(0.02);
  });
});
