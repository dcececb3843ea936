import { spawnSync } from 'node:child_process';
import { askOnce } from './ask-once.ts';

/** An independent decoder: the ffmpeg that TRAMONTANE_TEST_FFMPEG names, else the installed one, if any. */
export const ffmpeg = [process.env.TRAMONTANE_TEST_FFMPEG, 'ffmpeg'].find(
  (program) => program && askOnce(program, () => spawnSync(program, ['-version']).status === 0),
);

export type Decoded = { samples: Float32Array; complaints: string };

/** Decodes a file to mono at this rate; ffmpeg must report no errors. */
export function decode(file: Uint8Array, format: string, sampleRate: number): Decoded {
  const rate = ['-ac', '1', '-ar', String(sampleRate)];
  const input = format === 'pcm' ? ['-f', 'f32le', ...rate] : ['-f', format === 'opus' ? 'ogg' : format];
  const { stdout, stderr } = spawnSync(
    ffmpeg ?? '',
    ['-v', 'error', ...input, '-i', 'pipe:0', ...rate, '-f', 'f32le', 'pipe:1'],
    { input: file, maxBuffer: 2 ** 30 },
  );
  const samples = new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
  return { samples, complaints: stderr.toString() };
}

/** The share of one tone in a sound, from 0 to 1. */
export function purityOf(samples: Float32Array, hertz: number, sampleRate: number): number {
  let [cosine, sine, energy] = [0, 0, 0];
  const step = (2 * Math.PI * hertz) / sampleRate;
  for (const [i, sample] of samples.entries()) {
    cosine += sample * Math.cos(i * step);
    sine += sample * Math.sin(i * step);
    energy += sample * sample;
  }
  return (2 * (cosine ** 2 + sine ** 2)) / (energy * samples.length);
}
