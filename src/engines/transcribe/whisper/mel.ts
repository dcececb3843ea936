import { SAMPLE_RATE } from '../transcription-engine.ts';
import { POINTS as FFT, transform } from './fourier.ts';

const HOP = 160;
const BINS = FFT / 2 + 1;
export const MELS = 80;
/** The model was trained on half a minute, and hears no more at once. */
export const FRAMES_MAX = (30 * SAMPLE_RATE) / HOP;
/** Silence behind the speech: without any the model goes on writing. */
const SILENT_FRAMES_MIN = 100;
/** Windows have few different lengths, so that memory can be used again. */
const FRAMES_STEP = 100;

/** Slaney's scale is linear up to here, then logarithmic. */
const LINEAR_HERTZ = 1000;
const HERTZ_PER_MEL = 200 / 3;
const LOG_STEP = Math.log(6.4) / 27;

const hann = Float64Array.from({ length: FFT }, (_, i) => 0.5 * (1 - Math.cos((2 * Math.PI * i) / FFT)));
const filters = melFilters();

/** Frames of a window that holds so many samples and some silence. */
export function framesFor(samples: number): number {
  const frames = Math.ceil((samples / HOP + SILENT_FRAMES_MIN) / FRAMES_STEP) * FRAMES_STEP;
  return Math.min(frames, FRAMES_MAX);
}

/** What the encoder reads: 80 bands by frames of 10 ms, as the model was trained on them. The rest is silence. */
export function logMel(samples: Float32Array, frames = FRAMES_MAX): Float32Array {
  const padded = pad(samples, frames * HOP);
  const mel = new Float32Array(MELS * frames);
  const real = new Float64Array(FFT);
  const imaginary = new Float64Array(FFT);
  const powers = [new Float64Array(BINS), new Float64Array(BINS)] as const;
  const filled = Math.min(frames, Math.ceil((samples.length + FFT / 2) / HOP) + 1);
  let highest = -10;
  // Two real frames make one complex transform.
  for (let frame = 0; frame < filled; frame += 2) {
    for (let i = 0; i < FFT; i++) {
      const weight = hann[i] as number;
      real[i] = weight * (padded[frame * HOP + i] as number);
      imaginary[i] = weight * (padded[(frame + 1) * HOP + i] as number);
    }
    transform(real, imaginary);
    splitPowers(real, imaginary, powers);
    for (let offset = 0; offset < 2 && frame + offset < frames; offset++) {
      const power = powers[offset] as Float64Array;
      for (let band = 0; band < MELS; band++) {
        const { first, weights } = filters[band] as Filter;
        let sum = 0;
        for (let i = 0; i < weights.length; i++) sum += (weights[i] as number) * (power[first + i] as number);
        const value = Math.log10(Math.max(sum, 1e-10));
        if (value > highest) highest = value;
        mel[band * frames + frame + offset] = value;
      }
    }
  }
  for (let band = 0; band < MELS; band++) mel.fill(-10, band * frames + filled, (band + 1) * frames);
  const floor = highest - 8;
  for (let i = 0; i < mel.length; i++) mel[i] = (Math.max(mel[i] as number, floor) + 4) / 4;
  return mel;
}

/** Half a frame is mirrored at the beginning; silence follows the end. */
function pad(samples: Float32Array, length: number): Float32Array {
  const half = FFT / 2;
  // The last frame may be the first of a pair.
  const padded = new Float32Array(length + FFT + HOP);
  padded.set(samples.subarray(0, length), half);
  for (let i = 1; i <= half; i++) padded[half - i] = samples[i] ?? 0;
  return padded;
}

function splitPowers(
  real: Float64Array,
  imaginary: Float64Array,
  [first, second]: readonly [Float64Array, Float64Array],
): void {
  for (let k = 0; k < BINS; k++) {
    const mirror = (FFT - k) % FFT;
    const sumRe = (real[k] as number) + (real[mirror] as number);
    const sumIm = (imaginary[k] as number) + (imaginary[mirror] as number);
    const differenceRe = (real[mirror] as number) - (real[k] as number);
    const differenceIm = (imaginary[k] as number) - (imaginary[mirror] as number);
    first[k] = (sumRe * sumRe + differenceIm * differenceIm) / 4;
    second[k] = (sumIm * sumIm + differenceRe * differenceRe) / 4;
  }
}

type Filter = { first: number; weights: number[] };

/** Triangles on Slaney's scale, each with the same area. */
function melFilters(): Filter[] {
  const edges = Array.from({ length: MELS + 2 }, (_, i) => fromMel((i * toMel(SAMPLE_RATE / 2)) / (MELS + 1)));
  return Array.from({ length: MELS }, (_, band) => {
    const [low, centre, high] = edges.slice(band, band + 3) as [number, number, number];
    const weights = Array.from({ length: BINS }, (_, bin) => {
      const hertz = (bin * SAMPLE_RATE) / FFT;
      const height = Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre));
      return (Math.max(0, height) * 2) / (high - low);
    });
    const first = weights.findIndex((weight) => weight > 0);
    const last = weights.findLastIndex((weight) => weight > 0);
    return first < 0 ? { first: 0, weights: [] } : { first, weights: weights.slice(first, last + 1) };
  });
}

function toMel(hertz: number): number {
  return hertz < LINEAR_HERTZ
    ? hertz / HERTZ_PER_MEL
    : LINEAR_HERTZ / HERTZ_PER_MEL + Math.log(hertz / LINEAR_HERTZ) / LOG_STEP;
}

function fromMel(mel: number): number {
  const linear = LINEAR_HERTZ / HERTZ_PER_MEL;
  return mel < linear ? mel * HERTZ_PER_MEL : LINEAR_HERTZ * Math.exp(LOG_STEP * (mel - linear));
}
