import { setImmediate as nextTurn } from 'node:timers/promises';
import { logitOf, type Problem, scoreInPlace, type Weights } from './problem.ts';

const ITERATIONS_MAX = 100;
const MEMORY = 8;
/** Of the gradient's length; closer changes no score that is shown. */
const TOLERANCE = 2e-4;
const SHRINK = 0.5;
const SHRINKS_MAX = 25;
const SUFFICIENT = 1e-4;

/**
 * Logistic regression: the weights with the least mean loss, plus `ridge` times half their squares, biases left out. By
 * L-BFGS from `start`, so the same examples always give the same weights.
 */
export async function fitLogistic(problem: Problem, ridge: number, start?: Weights): Promise<Weights> {
  const size = problem.labels * (problem.dimensions + 1);
  let weights: Weights = start ? start.slice() : new Float64Array(size);
  let gradient: Weights = new Float64Array(size);
  let cost = costOf(problem, ridge, weights, gradient);
  const steps: { moved: Weights; turned: Weights; scale: number }[] = [];
  for (let iteration = 0; iteration < ITERATIONS_MAX; iteration++) {
    // Lets signals in, and the progress out.
    await nextTurn();
    if (Math.sqrt(dot(gradient, gradient)) < TOLERANCE) break;
    const direction = directionOf(gradient, steps);
    const slope = dot(gradient, direction);
    if (slope >= 0) break;
    const next = new Float64Array(size);
    const nextGradient = new Float64Array(size);
    let length = steps.length === 0 ? 1 / Math.max(1, Math.sqrt(dot(gradient, gradient))) : 1;
    let nextCost = Number.POSITIVE_INFINITY;
    for (let shrinks = 0; shrinks < SHRINKS_MAX; shrinks++, length *= SHRINK) {
      for (let index = 0; index < size; index++)
        next[index] = (weights[index] as number) + length * (direction[index] as number);
      nextCost = costOf(problem, ridge, next, nextGradient);
      if (nextCost <= cost + SUFFICIENT * length * slope) break;
    }
    if (!(nextCost < cost)) break;
    const moved = subtract(next, weights);
    const turned = subtract(nextGradient, gradient);
    const curvature = dot(moved, turned);
    if (curvature > 1e-12) steps.push({ moved, turned, scale: 1 / curvature });
    if (steps.length > MEMORY) steps.shift();
    [weights, gradient, cost] = [next, nextGradient, nextCost];
  }
  return weights;
}

/** Fills the gradient. */
function costOf(problem: Problem, ridge: number, weights: Weights, gradient: Weights): number {
  const { count, dimensions, rows, labels, members, loss } = problem;
  const stride = dimensions + 1;
  gradient.fill(0);
  const scores = new Float64Array(labels);
  let cost = 0;
  for (let example = 0; example < count; example++) {
    const at = example * dimensions;
    for (let label = 0; label < labels; label++) scores[label] = logitOf(rows, at, dimensions, weights, label);
    const own = members.subarray(example * labels, (example + 1) * labels);
    cost += scoreInPlace(scores, 0, labels, loss, own);
    for (let label = 0; label < labels; label++) {
      const error = (scores[label] as number) - (own[label] as number);
      const start = label * stride;
      for (let index = 0; index < dimensions; index++)
        gradient[start + index] = (gradient[start + index] as number) + error * (rows[at + index] as number);
      gradient[start + dimensions] = (gradient[start + dimensions] as number) + error;
    }
  }
  cost /= count;
  for (let index = 0; index < weights.length; index++) {
    gradient[index] = (gradient[index] as number) / count;
    if (index % stride === dimensions) continue;
    cost += (ridge / 2) * (weights[index] as number) ** 2;
    gradient[index] = (gradient[index] as number) + ridge * (weights[index] as number);
  }
  return cost;
}

/** Minus the gradient times the inverse of the curvature, as far as the last steps show it. */
function directionOf(gradient: Weights, steps: readonly { moved: Weights; turned: Weights; scale: number }[]): Weights {
  const direction = gradient.map((value) => -value);
  const shares: number[] = [];
  for (const { moved, turned, scale } of steps.toReversed()) {
    const share = scale * dot(moved, direction);
    shares.unshift(share);
    add(direction, turned, -share);
  }
  const last = steps.at(-1);
  if (last) {
    const factor = 1 / (last.scale * dot(last.turned, last.turned));
    for (let index = 0; index < direction.length; index++) direction[index] = (direction[index] as number) * factor;
  }
  for (const [index, { moved, turned, scale }] of steps.entries())
    add(direction, moved, (shares[index] ?? 0) - scale * dot(turned, direction));
  return direction;
}

function dot(a: Weights, b: Weights): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] as number) * (b[index] as number);
  return sum;
}

function add(to: Weights, values: Weights, factor: number): void {
  for (let index = 0; index < to.length; index++)
    to[index] = (to[index] as number) + factor * (values[index] as number);
}

function subtract(a: Weights, b: Weights): Weights {
  return a.map((value, index) => value - (b[index] as number));
}
