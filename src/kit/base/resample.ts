const HALF_TAPS = 16;
/** Of the lower of both rates, so that what lies above half of it is gone and does not come back as another tone. */
const PASSED = 0.94;

export type Resampler = {
  resample(samples: Float32Array): Float32Array;
  /** What is left, so that in all the length is the input's to the nearest sample. */
  finish(): Float32Array;
};

/** A polyphase filter (windowed sinc) that goes on from piece to piece. */
export function createResampler(from: number, to: number): Resampler {
  const divisor = greatestCommonDivisor(from, to);
  const [step, phases] = [from / divisor, to / divisor];
  const taps = filterOf(phases, Math.min(1, to / from) * PASSED);
  // Beginning with silence, so that the first sample has as many neighbours as all others.
  let kept = new Float32Array(HALF_TAPS);
  let position = 0;
  let taken = 0;
  let made = 0;

  function run(samples: Float32Array): Float32Array {
    const input = new Float32Array(kept.length + samples.length);
    input.set(kept);
    input.set(samples, kept.length);
    const last = (input.length - 2 * HALF_TAPS) * phases;
    const output = new Float32Array(Math.max(0, Math.ceil((last - position) / step)));
    for (let n = 0; n < output.length; n++, position += step) {
      const start = Math.floor(position / phases);
      const phase = (position % phases) * 2 * HALF_TAPS;
      let sum = 0;
      for (let k = 0; k < 2 * HALF_TAPS; k++) sum += (input[start + k] as number) * (taps[phase + k] as number);
      output[n] = sum;
    }
    const used = Math.min(Math.floor(position / phases), input.length);
    kept = input.slice(used);
    position -= used * phases;
    made += output.length;
    return output;
  }
  return {
    resample(samples) {
      taken += samples.length;
      return run(samples);
    },
    finish() {
      const wanted = Math.round((taken * to) / from) - made;
      return run(new Float32Array(3 * HALF_TAPS + step)).subarray(0, Math.max(0, wanted));
    },
  };
}

/** For each phase its taps; the first stands `HALF_TAPS` samples before the point. */
function filterOf(phases: number, cutoff: number): Float32Array {
  const width = 2 * HALF_TAPS;
  const taps = new Float32Array(phases * width);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    for (let k = 0; k < width; k++) {
      const x = k - HALF_TAPS - phase / phases;
      const window = Math.abs(x) < HALF_TAPS ? 0.5 + 0.5 * Math.cos((Math.PI * x) / HALF_TAPS) : 0;
      const value = (x === 0 ? 1 : Math.sin(Math.PI * cutoff * x) / (Math.PI * cutoff * x)) * window;
      taps[phase * width + k] = value;
      sum += value;
    }
    for (let k = 0; k < width; k++) (taps[phase * width + k] as number) /= sum;
  }
  return taps;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
