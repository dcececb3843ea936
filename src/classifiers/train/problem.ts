import type { LossFunction } from '../../models/index.ts';

/** Vectors and the labels that apply to each of them, as numbers. */
export type Problem = {
  count: number;
  dimensions: number;
  /** `count` rows of `dimensions` numbers. */
  rows: Float32Array;
  labels: number;
  /** `count` rows of `labels` numbers: 1 where the label applies. */
  members: Uint8Array;
  loss: LossFunction;
};

/** For each label a weight per dimension, then its bias. */
export type Weights = Float64Array;

/** The part of a problem with these examples. */
export function selectExamples(problem: Problem, chosen: readonly number[]): Problem {
  const { dimensions, labels } = problem;
  const rows = new Float32Array(chosen.length * dimensions);
  const members = new Uint8Array(chosen.length * labels);
  for (const [place, index] of chosen.entries()) {
    rows.set(problem.rows.subarray(index * dimensions, (index + 1) * dimensions), place * dimensions);
    members.set(problem.members.subarray(index * labels, (index + 1) * labels), place * labels);
  }
  return { ...problem, count: chosen.length, rows, members };
}

/** `count` rows of `labels` logits. */
export function logitsOf({ count, dimensions, rows, labels }: Problem, weights: Weights): Float64Array {
  const logits = new Float64Array(count * labels);
  for (let index = 0; index < count; index++)
    for (let label = 0; label < labels; label++)
      logits[index * labels + label] = logitOf(rows, index * dimensions, dimensions, weights, label);
  return logits;
}

export function logitOf(rows: Float32Array, at: number, dimensions: number, weights: Weights, label: number): number {
  const start = label * (dimensions + 1);
  let sum = weights[start + dimensions] as number;
  for (let index = 0; index < dimensions; index++)
    sum += (weights[start + index] as number) * (rows[at + index] as number);
  return sum;
}

/** Replaces the logits of one example, from `at` on, by scores. Returns its loss: minus the logarithm of its likelihood. */
export function scoreInPlace(
  logits: Float64Array,
  at: number,
  labels: number,
  loss: LossFunction,
  members: Uint8Array,
): number {
  return loss === 'single_class' ? softmax(logits, at, labels, members) : sigmoids(logits, at, labels, members);
}

function softmax(logits: Float64Array, at: number, labels: number, members: Uint8Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let label = at; label < at + labels; label++) highest = Math.max(highest, logits[label] as number);
  let total = 0;
  for (let label = at; label < at + labels; label++) total += Math.exp((logits[label] as number) - highest);
  const logarithm = highest + Math.log(total);
  let cost = 0;
  for (let label = at; label < at + labels; label++) {
    const chance = (logits[label] as number) - logarithm;
    if (members[label]) cost -= chance;
    logits[label] = Math.exp(chance);
  }
  return cost;
}

function sigmoids(logits: Float64Array, at: number, labels: number, members: Uint8Array): number {
  let cost = 0;
  for (let label = at; label < at + labels; label++) {
    const logit = logits[label] as number;
    // The stable form of log(1 + exp(logit)).
    cost += Math.max(logit, 0) + Math.log1p(Math.exp(-Math.abs(logit))) - (members[label] ? logit : 0);
    logits[label] = 1 / (1 + Math.exp(-logit));
  }
  return cost;
}
