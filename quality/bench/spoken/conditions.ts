import { SAMPLE_RATE } from '../../../src/engines/transcribe/index.ts';
import { makeNoise } from '../../../src/engines/transcribe/sounds-for-tests.ts';
import { resample } from './speak.ts';

const TELEPHONE_RATE = 8000;

export type Sound = { samples: Float32Array; rate: number };
/** What may happen to speech on its way; `other` is another voice. */
export type Condition = { name: string; apply(speech: Float32Array, other: Float32Array): Sound };

export const CONDITIONS: readonly Condition[] = [
  { name: 'clean', apply: (speech) => at16(speech) },
  { name: 'noise', apply: (speech) => at16(mix(speech, makeNoise(Math.ceil(speech.length / SAMPLE_RATE), 1), 10)) },
  { name: 'music', apply: (speech) => at16(mix(speech, makeMusic(speech.length), 10)) },
  { name: 'silence', apply: (speech) => at16(between(speech, 8, 12)) },
  { name: 'overlap', apply: (speech, other) => at16(mix(speech, other, 12)) },
  {
    name: 'telephone',
    apply: (speech) => ({ samples: resample(speech, SAMPLE_RATE, TELEPHONE_RATE), rate: TELEPHONE_RATE }),
  },
];

const at16 = (samples: Float32Array): Sound => ({ samples, rate: SAMPLE_RATE });

/** So many decibels below the speech. */
function mix(speech: Float32Array, sound: Float32Array, decibels: number): Float32Array {
  const scale = (loudness(speech) / Math.max(loudness(sound), 1e-6)) * 10 ** (-decibels / 20);
  return speech.map((value, index) => Math.max(-1, Math.min(1, value + (sound[index] ?? 0) * scale)));
}

function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length));
}

function between(speech: Float32Array, before: number, after: number): Float32Array {
  const longer = new Float32Array(speech.length + (before + after) * SAMPLE_RATE);
  longer.set(speech, before * SAMPLE_RATE);
  return longer;
}

/** Chords of plucked strings. */
export function makeMusic(length: number): Float32Array {
  const chords = [
    [220, 277.2, 329.6],
    [196, 246.9, 293.7],
    [174.6, 220, 261.6],
    [164.8, 207.7, 246.9],
  ];
  return Float32Array.from({ length }, (_, index) => {
    const seconds = index / SAMPLE_RATE;
    const beat = Math.floor(seconds * 2);
    const since = seconds - beat / 2;
    const chord = chords[Math.floor(beat / 4) % chords.length] ?? [];
    return chord.reduce(
      (sum, hertz) =>
        sum +
        [1, 2, 3].reduce((own, over) => own + Math.sin(2 * Math.PI * hertz * over * seconds) / over, 0) *
          Math.exp(-3 * since),
      0,
    );
  });
}
