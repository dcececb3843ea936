import type { FileHandle } from 'node:fs/promises';
import { createResampler, type Resampler } from '../../../kit/base/resample.ts';
import { Refusal } from '../../process/protocol.ts';
import { toPcm } from '../read-pcm.ts';
import { SAMPLE_RATE } from '../transcription-engine.ts';
import type { Sound } from './decoder.ts';

const RATE_MIN = 1000;
const RATE_MAX = 768_000;

export type PcmWriter = {
  write(sound: Sound): Promise<void>;
  finish(): Promise<void>;
  /** Written so far. */
  samples(): number;
};

/** Sound of any rate as samples of 16 bits, mono, at 16 kHz. */
export function createPcmWriter(file: FileHandle, samplesMax: number): PcmWriter {
  let rate = 0;
  let resampler: Resampler | undefined;
  let written = 0;

  async function put(samples: Float32Array): Promise<void> {
    if (samples.length === 0) return;
    written += samples.length;
    if (written > samplesMax) {
      const hours = samplesMax / SAMPLE_RATE / 3600;
      throw new Refusal(
        'audio_duration_exceeded',
        `The audio is longer than ${Number(hours.toFixed(2))} hours, the limit of this model. Cut it, or ask the operator to raise hours_max.`,
      );
    }
    await file.write(toPcm(samples));
  }

  return {
    async write({ channels, sampleRate }) {
      if ((channels[0]?.length ?? 0) === 0) return;
      if (sampleRate < RATE_MIN || sampleRate > RATE_MAX)
        throw new Refusal('audio_damaged', `The audio cannot be decoded: it claims ${sampleRate} samples in a second.`);
      if (sampleRate !== rate) {
        if (resampler) await put(resampler.finish());
        rate = sampleRate;
        resampler = rate === SAMPLE_RATE ? undefined : createResampler(rate, SAMPLE_RATE);
      }
      const mono = mix(channels);
      await put(resampler ? resampler.resample(mono) : mono);
    },
    async finish() {
      if (resampler) await put(resampler.finish());
    },
    samples: () => written,
  };
}

function mix([first = new Float32Array(), ...others]: Float32Array[]): Float32Array {
  if (others.length === 0) return first;
  const share = 1 / (others.length + 1);
  return first.map((value, i) => others.reduce((sum, channel) => sum + (channel[i] as number), value) * share);
}
