import { fitLogistic } from './fit-logistic.ts';
import { type Problem, scoreInPlace, type Weights } from './problem.ts';

const PLATT_RIDGE = 1e-3;
const TEMPERATURE_MIN = 0.05;
const TEMPERATURE_MAX = 20;
const SEARCH_STEPS = 60;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** By label: what a logit is multiplied with, and what is added to it. */
export type Calibration = { slopes: number[]; offsets: number[] };

/**
 * Makes scores mean what they say, from logits of examples that the weights had not seen: one temperature for labels
 * that exclude each other, a curve of their own (Platt scaling) for those that do not.
 */
export async function calibrate(problem: Problem, logits: Float64Array): Promise<Calibration> {
  const { labels, loss } = problem;
  if (loss === 'single_class') {
    const slope = 1 / findTemperature(problem, logits);
    return { slopes: Array(labels).fill(slope), offsets: Array(labels).fill(0) };
  }
  const calibration: Calibration = { slopes: [], offsets: [] };
  for (let label = 0; label < labels; label++) {
    const [slope = 1, offset = 0] = await fitLogistic(pickLabel(problem, logits, label), PLATT_RIDGE);
    // A falling curve would mean that the weights had learnt the opposite; then the logits stay as they are.
    calibration.slopes.push(slope > 0 ? slope : 1);
    calibration.offsets.push(slope > 0 ? offset : 0);
  }
  return calibration;
}

export function applyCalibration(logits: Float64Array, { slopes, offsets }: Calibration): Float64Array {
  return logits.map((logit, at) => logit * (slopes[at % slopes.length] ?? 1) + (offsets[at % slopes.length] ?? 0));
}

/** Weights whose logits are calibrated already. */
export function calibrateWeights(weights: Weights, dimensions: number, { slopes, offsets }: Calibration): Weights {
  const stride = dimensions + 1;
  return weights.map((weight, at) => {
    const label = Math.floor(at / stride);
    return weight * (slopes[label] ?? 1) + (at % stride === dimensions ? (offsets[label] ?? 0) : 0);
  });
}

/** The mean loss of logits. */
export function lossOf({ count, labels, loss, members }: Problem, logits: Float64Array): number {
  const scores = logits.slice();
  let cost = 0;
  for (let example = 0; example < count; example++)
    cost += scoreInPlace(scores, example * labels, labels, loss, members);
  return cost / count;
}

/** The loss has one minimum over the temperature. */
function findTemperature(problem: Problem, logits: Float64Array): number {
  const cost = (logarithm: number) =>
    lossOf(
      problem,
      logits.map((logit) => logit / Math.exp(logarithm)),
    );
  let [low, high] = [Math.log(TEMPERATURE_MIN), Math.log(TEMPERATURE_MAX)];
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    if (cost(left) < cost(right)) high = right;
    else low = left;
  }
  return Math.exp((low + high) / 2);
}

/** One label alone: its logit is the only dimension. */
function pickLabel({ count, labels, members }: Problem, logits: Float64Array, label: number): Problem {
  return {
    count,
    dimensions: 1,
    rows: Float32Array.from({ length: count }, (_, example) => logits[example * labels + label] ?? 0),
    labels: 1,
    members: Uint8Array.from({ length: count }, (_, example) => members[example * labels + label] ?? 0),
    loss: 'multi_class',
  };
}
