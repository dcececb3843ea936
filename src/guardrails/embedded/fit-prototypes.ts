import { setImmediate as nextTurn } from 'node:timers/promises';

// The width of the kernel and the regularization, chosen by leave-one-out cross-validation over the prototypes.
const NARROWNESS = 3;
const RIDGE = 0.2;
/** Precision counts more than recall: a false alarm blocks a harmless user. */
const RECALL_WEIGHT = 0.5;
/** How quickly a score moves away from the threshold. */
const STEEPNESS = 10;
/** Takes a few milliseconds; then the event loop serves other requests. */
const ROWS_PER_TURN = 64;

export type Prototypes = {
  vectors: readonly Float32Array[];
  /** By category: whether each of the vectors belongs to it. */
  members: readonly boolean[][];
};

/** By category, from 0 to 1; above a half the category is found. */
export type Scorer = (vector: Float32Array) => number[];

/**
 * Kernel ridge regression. The threshold of a category is the best one of a leave-one-out cross-validation, which the
 * inverse gives without fitting again; scores are shifted so that it is at one half.
 */
export async function fitPrototypes({ vectors, members }: Prototypes): Promise<Scorer> {
  const inverse = await invertFactor(vectors);
  const categories = members.map((belongs) => {
    // 0 and not -1: far from all prototypes the score tends to 0, which must mean "no".
    const targets = belongs.map(Number);
    const { weights, diagonal } = solve(inverse, targets);
    const unseen = targets.map((target, row) => target - (weights[row] ?? 0) / (diagonal[row] ?? 1));
    return { weights, threshold: bestThreshold(unseen, belongs) };
  });
  return (vector) => {
    const nearness = vectors.map((prototype) => kernel(vector, prototype));
    return categories.map(({ weights, threshold }) => {
      let raw = 0;
      for (let row = 0; row < nearness.length; row++) raw += (weights[row] ?? 0) * (nearness[row] ?? 0);
      return 1 / (1 + Math.exp(-STEEPNESS * (raw - threshold)));
    });
  };
}

/** A Gaussian of the distance; both vectors have length 1. */
function kernel(a: Float32Array, b: Float32Array): number {
  let cosine = 0;
  for (let index = 0; index < a.length; index++) cosine += (a[index] ?? 0) * (b[index] ?? 0);
  return Math.exp(NARROWNESS * (cosine - 1));
}

/** The inverse of the Cholesky factor of the kernel matrix with its ridge, row by row. */
async function invertFactor(vectors: readonly Float32Array[]): Promise<Float64Array[]> {
  const factor: Float64Array[] = [];
  const inverse: Float64Array[] = [];
  for (const [row, vector] of vectors.entries()) {
    const line = new Float64Array(row + 1);
    for (let column = 0; column <= row; column++) {
      const other = column === row ? line : (factor[column] as Float64Array);
      let value = kernel(vector, vectors[column] as Float32Array) + (column === row ? RIDGE : 0);
      for (let index = 0; index < column; index++) value -= (line[index] ?? 0) * (other[index] ?? 0);
      line[column] = column === row ? Math.sqrt(value) : value / (other[column] ?? 1);
    }
    factor.push(line);
    inverse.push(invertRow(line, inverse));
    if (row % ROWS_PER_TURN === 0) await nextTurn();
  }
  return inverse;
}

function invertRow(line: Float64Array, above: readonly Float64Array[]): Float64Array {
  const row = line.length - 1;
  const pivot = line[row] ?? 1;
  const inverted = new Float64Array(row + 1);
  for (const [index, other] of above.entries()) {
    const factor = line[index] ?? 0;
    for (let column = 0; column <= index; column++)
      inverted[column] = (inverted[column] ?? 0) - factor * (other[column] ?? 0);
  }
  for (let column = 0; column < row; column++) inverted[column] = (inverted[column] ?? 0) / pivot;
  inverted[row] = 1 / pivot;
  return inverted;
}

/** The weights for these targets, and the diagonal of the inverse matrix. */
function solve(inverse: readonly Float64Array[], targets: readonly number[]) {
  const weights = new Float64Array(targets.length);
  const diagonal = new Float64Array(targets.length);
  for (const line of inverse) {
    let projected = 0;
    for (let column = 0; column < line.length; column++) projected += (line[column] ?? 0) * (targets[column] ?? 0);
    for (let column = 0; column < line.length; column++) {
      const value = line[column] ?? 0;
      weights[column] = (weights[column] ?? 0) + value * projected;
      diagonal[column] = (diagonal[column] ?? 0) + value * value;
    }
  }
  return { weights, diagonal };
}

/** The threshold with the best balance (an F-measure) of how much it finds and how often it is right. */
function bestThreshold(scores: readonly number[], belongs: readonly boolean[]): number {
  const order = scores.map((score, row) => ({ score, member: belongs[row] })).sort((a, b) => b.score - a.score);
  const total = belongs.filter(Boolean).length;
  let found = 0;
  let best = { quality: -1, threshold: 1 };
  for (const [index, { score, member }] of order.entries()) {
    if (member) found += 1;
    const quality = found / (index + 1 + RECALL_WEIGHT * total);
    const next = order[index + 1]?.score ?? score - 1;
    if (quality > best.quality) best = { quality, threshold: (score + next) / 2 };
  }
  return best.threshold;
}
