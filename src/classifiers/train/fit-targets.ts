import { applyCalibration, type Calibration, calibrate, calibrateWeights, lossOf } from './calibrate.ts';
import { fitLogistic } from './fit-logistic.ts';
import { measureScores, type TargetFigures } from './measure-scores.ts';
import { logitsOf, type Problem, scoreInPlace, selectExamples, type Weights } from './problem.ts';
import type { Example, TargetPlan } from './read-examples.ts';
import { splitExamples } from './split-examples.ts';

/** From strong to weak; each begins where the one before ended. The one with the least loss on unseen examples wins. */
const RIDGES = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4];
const FOLDS = 5;
/** With more examples one fold tells enough. */
const CROSS_VALIDATED_MAX = 3000;

export type TrainingFigures = {
  examples: number;
  held_out: number;
  seed: number;
  targets: Record<string, TargetFigures>;
};

/** Calibrated weights: for each label one per dimension, then its bias. */
export type FittedTarget = TargetPlan & { weights: Weights };

export type TrainingOptions = {
  targets: readonly TargetPlan[];
  /** The share of examples that is only measured on. */
  heldOutShare: number;
  seed: number;
  onTarget?: (target: string) => void;
};

/**
 * Fits a logistic regression per target to the vectors of the examples, calibrates it, and measures it on the examples
 * that were held out. What is returned is what was measured. It knows no other room, so that a thread runs it alone.
 */
export async function fitTargets(
  examples: readonly Example[],
  vectors: readonly Float32Array[],
  { targets, heldOutShare, seed, onTarget }: TrainingOptions,
): Promise<{ fitted: FittedTarget[]; figures: TrainingFigures }> {
  const { learnt, heldOut } = splitExamples(examples, { share: heldOutShare, seed });
  const fitted: FittedTarget[] = [];
  const figures: TrainingFigures = { examples: examples.length, held_out: heldOut.length, seed, targets: {} };
  for (const target of targets) {
    onTarget?.(target.name);
    const problem = toProblem(examples, vectors, target);
    const weights = await fitCalibrated(selectExamples(problem, learnt));
    fitted.push({ ...target, weights });
    figures.targets[target.name] = measure(selectExamples(problem, heldOut), weights, target.labels);
  }
  return { fitted, figures };
}

function toProblem(examples: readonly Example[], vectors: readonly Float32Array[], target: TargetPlan): Problem {
  const { name, labels, loss_function: loss } = target;
  const dimensions = vectors[0]?.length ?? 0;
  const rows = new Float32Array(examples.length * dimensions);
  const members = new Uint8Array(examples.length * labels.length);
  for (const [index, { labels: own }] of examples.entries()) {
    rows.set(vectors[index] ?? new Float32Array(), index * dimensions);
    for (const label of own[name] ?? []) members[index * labels.length + labels.indexOf(label)] = 1;
  }
  return { count: examples.length, dimensions, rows, labels: labels.length, members, loss };
}

async function fitCalibrated(problem: Problem): Promise<Weights> {
  const { ridge, calibration } = await chooseRidge(problem);
  const weights = await fitLogistic(problem, ridge);
  return calibrateWeights(weights, problem.dimensions, calibration);
}

/** By cross-validation: every example is scored by weights that were fitted without it. */
async function chooseRidge(problem: Problem): Promise<{ ridge: number; calibration: Calibration }> {
  const { count } = problem;
  const all = Array.from({ length: count }, (_, index) => index);
  const isLarge = count > CROSS_VALIDATED_MAX;
  const folds = Array.from({ length: isLarge ? 1 : Math.min(FOLDS, count) }, (_, fold) => ({
    rest: selectExamples(
      problem,
      all.filter((index) => index % FOLDS !== fold),
    ),
    unseen: all.filter((index) => index % FOLDS === fold),
    weights: undefined as Weights | undefined,
  }));
  const unseen = selectExamples(
    problem,
    folds.flatMap((fold) => fold.unseen),
  );
  let best = {
    loss: Number.POSITIVE_INFINITY,
    ridge: RIDGES[0] ?? 0,
    calibration: { slopes: [], offsets: [] } as Calibration,
  };
  for (const ridge of RIDGES) {
    const parts: number[] = [];
    for (const fold of folds) {
      fold.weights = await fitLogistic(fold.rest, ridge, fold.weights);
      for (const logit of logitsOf(selectExamples(problem, fold.unseen), fold.weights)) parts.push(logit);
    }
    const logits = Float64Array.from(parts);
    const calibration = await calibrate(unseen, logits);
    const loss = lossOf(unseen, applyCalibration(logits, calibration));
    // Weaker ones would only fit the examples more closely.
    if (loss >= best.loss) break;
    best = { loss, ridge, calibration };
  }
  return best;
}

function measure(problem: Problem, weights: Weights, names: readonly string[]): TargetFigures {
  const { count, labels, loss, members } = problem;
  const scores = logitsOf(problem, weights);
  for (let example = 0; example < count; example++) scoreInPlace(scores, example * labels, labels, loss, members);
  return measureScores(problem, scores, names);
}
