import { describe, expect, it } from 'vitest';
import { createSampleReader } from './read-samples.ts';
import type { Encoding } from './schema.ts';

function bytesOf(encoding: Encoding): Buffer {
  switch (encoding) {
    case 'pcm_s16le':
      return Buffer.from(new Int16Array([0, 16_384, -16_384, -32_768]).buffer);
    case 'pcm_s32le':
      return Buffer.from(new Int32Array([0, 2 ** 30, -(2 ** 30), -(2 ** 31)]).buffer);
    case 'pcm_f16le':
      return Buffer.from(new Uint16Array([0, 0x3800, 0xb800, 0xbc00]).buffer);
    case 'pcm_f32le':
      return Buffer.from(new Float32Array([0, 0.5, -0.5, -1]).buffer);
    case 'pcm_mulaw':
      return Buffer.from([0xff, 0x90, 0x10, 0x00]);
    case 'pcm_alaw':
      return Buffer.from([0xd5, 0xba, 0x3a, 0x2a]);
  }
}

describe('raw audio', () => {
  it.each<Encoding>(['pcm_s16le', 'pcm_s32le', 'pcm_f16le', 'pcm_f32le', 'pcm_mulaw', 'pcm_alaw'])(
    'as %s is read, also when it is cut in the middle of a sample',
    (encoding) => {
      const bytes = bytesOf(encoding);
      const whole = createSampleReader({ encoding, sample_rate: 16_000 }).read(bytes);
      const digits = encoding === 'pcm_mulaw' || encoding === 'pcm_alaw' ? 1 : 6;
      for (const [index, expected] of [0, 0.5, -0.5, -1].entries()) expect(whole[index]).toBeCloseTo(expected, digits);
      const reader = createSampleReader({ encoding, sample_rate: 16_000 });
      const pieces = [...bytes].flatMap((byte) => [...reader.read(Buffer.from([byte]))]);
      expect(pieces).toEqual([...whole]);
    },
  );

  it('that is no number or too loud becomes silence or the loudest there is', () => {
    const bytes = Buffer.from(new Float32Array([Number.NaN, Number.POSITIVE_INFINITY, -7]).buffer);
    expect([...createSampleReader({ encoding: 'pcm_f32le', sample_rate: 16_000 }).read(bytes)]).toEqual([0, 1, -1]);
  });

  it.each([8000, 44_100, 48_000])('of %i Hz keeps its length in seconds', (sample_rate) => {
    const reader = createSampleReader({ encoding: 'pcm_mulaw', sample_rate });
    let samples = 0;
    for (let i = 0; i < 10; i++) samples += reader.read(Buffer.alloc(sample_rate / 10, 0xff)).length;
    expect(samples + reader.finish().length).toBe(16_000);
  });
});
