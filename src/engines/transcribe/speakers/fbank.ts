import { SAMPLE_RATE } from '../transcription-engine.ts';

/** Kaldi's features, as the embedding model was trained on them: 25 ms every 10 ms, 80 bands. */
const FRAME = 400;
const HOP = 160;
const FFT = 512;
export const BANDS = 80;
const LOWEST_HERTZ = 20;
const EMPHASIS = 0.97;
const SCALE = 32_768;
const EPSILON = 1.1920929e-7;

const hamming = Float64Array.from({ length: FRAME }, (_, i) => 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (FRAME - 1)));
const cosines = Float64Array.from({ length: FFT / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / FFT));
const sines = Float64Array.from({ length: FFT / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / FFT));
const toMel = (hertz: number) => 1127 * Math.log(1 + hertz / 700);
const filters = bandFilters();

/** One row of bands for each frame, each band with the mean 0 over all frames. */
export function filterBank(samples: Float32Array): { features: Float32Array; frames: number } {
  const frames = Math.max(0, Math.floor((samples.length - FRAME) / HOP) + 1);
  const features = new Float32Array(frames * BANDS);
  const real = new Float64Array(FFT);
  const imaginary = new Float64Array(FFT);
  for (let frame = 0; frame < frames; frame++) {
    cutFrame(samples, frame * HOP, real);
    imaginary.fill(0);
    transform(real, imaginary);
    for (let band = 0; band < BANDS; band++) {
      const { first, weights } = filters[band] as Filter;
      let sum = 0;
      for (const [i, weight] of weights.entries()) {
        const [re, im] = [real[first + i] as number, imaginary[first + i] as number];
        sum += weight * (re * re + im * im);
      }
      features[frame * BANDS + band] = Math.log(Math.max(sum, EPSILON));
    }
  }
  centre(features, frames);
  return { features, frames };
}

/** Without its mean, with high tones raised, and faded at both ends. */
function cutFrame(samples: Float32Array, from: number, into: Float64Array): void {
  let mean = 0;
  for (let i = 0; i < FRAME; i++) mean += ((samples[from + i] as number) * SCALE) / FRAME;
  let before = (samples[from] as number) * SCALE - mean;
  for (let i = 0; i < FRAME; i++) {
    const value = (samples[from + i] as number) * SCALE - mean;
    into[i] = (value - EMPHASIS * before) * (hamming[i] as number);
    before = value;
  }
  into.fill(0, FRAME);
}

function centre(features: Float32Array, frames: number): void {
  for (let band = 0; band < BANDS; band++) {
    let sum = 0;
    for (let frame = 0; frame < frames; frame++) sum += features[frame * BANDS + band] as number;
    const mean = sum / frames;
    for (let frame = 0; frame < frames; frame++) {
      const at = frame * BANDS + band;
      features[at] = (features[at] as number) - mean;
    }
  }
}

/** A fast Fourier transform, in place. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  for (let i = 1, j = 0; i < FFT; i++) {
    let bit = FFT >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j] as number, real[i] as number];
      [imaginary[i], imaginary[j]] = [imaginary[j] as number, imaginary[i] as number];
    }
  }
  for (let size = 2; size <= FFT; size *= 2) {
    const [half, stride] = [size / 2, FFT / size];
    for (let start = 0; start < FFT; start += size)
      for (let k = 0; k < half; k++) {
        const [cos, sin] = [cosines[k * stride] as number, sines[k * stride] as number];
        const [low, high] = [start + k, start + k + half];
        const [x, y] = [real[high] as number, imaginary[high] as number];
        const [re, im] = [x * cos - y * sin, x * sin + y * cos];
        real[high] = (real[low] as number) - re;
        imaginary[high] = (imaginary[low] as number) - im;
        real[low] = (real[low] as number) + re;
        imaginary[low] = (imaginary[low] as number) + im;
      }
  }
}

type Filter = { first: number; weights: number[] };

/** Triangles of equal width on the mel scale. */
function bandFilters(): Filter[] {
  const [low, high] = [toMel(LOWEST_HERTZ), toMel(SAMPLE_RATE / 2)];
  const step = (high - low) / (BANDS + 1);
  return Array.from({ length: BANDS }, (_, band) => {
    const left = low + band * step;
    const weights = Array.from({ length: FFT / 2 }, (_, bin) => {
      const mel = toMel((bin * SAMPLE_RATE) / FFT);
      return Math.max(0, Math.min((mel - left) / step, (left + 2 * step - mel) / step));
    });
    const first = weights.findIndex((weight) => weight > 0);
    return { first: Math.max(0, first), weights: weights.slice(first, weights.findLastIndex((w) => w > 0) + 1) };
  });
}
