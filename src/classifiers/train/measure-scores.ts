import type { Problem } from './problem.ts';

const BINS = 10;
const PRECISION = 10_000;
/** A label of several that do not exclude each other is found above this. */
const FOUND_ABOVE = 0.5;

/** Shares are from 0 to 1; null where there is nothing to divide. */
export type LabelFigures = {
  examples: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
};

export type TargetFigures = {
  /** The share of examples for which exactly the right labels were found. */
  accuracy: number;
  /** The mean of the labels' F1. */
  macro_f1: number;
  /** The mean distance between a score and how often such scores are right: the expected calibration error. */
  calibration_error: number;
  labels: Record<string, LabelFigures>;
};

/** `scores` are `count` rows of one score per label. */
export function measureScores(problem: Problem, scores: Float64Array, names: readonly string[]): TargetFigures {
  const { count, labels, members } = problem;
  const counts = names.map(() => ({ right: 0, wrong: 0, missed: 0 }));
  const bins = Array.from({ length: BINS }, () => ({ examples: 0, scores: 0, right: 0 }));
  let correct = 0;
  for (let example = 0; example < count; example++) {
    const row = scores.subarray(example * labels, (example + 1) * labels);
    const found = findLabels(problem, row);
    let isCorrect = true;
    for (const [label, tally] of counts.entries()) {
      const isMember = members[example * labels + label] === 1;
      if (isMember && found.has(label)) tally.right += 1;
      else if (isMember) tally.missed += 1;
      else if (found.has(label)) tally.wrong += 1;
      if (isMember !== found.has(label)) isCorrect = false;
    }
    if (isCorrect) correct += 1;
    for (const { score, isRight } of claimsOf(problem, row, example, found)) {
      const bin = bins[Math.min(BINS - 1, Math.floor(score * BINS))];
      if (!bin) continue;
      bin.examples += 1;
      bin.scores += score;
      bin.right += Number(isRight);
    }
  }
  const claims = bins.reduce((sum, { examples }) => sum + examples, 0);
  const distance = bins.reduce((sum, bin) => sum + Math.abs(bin.scores - bin.right), 0);
  const figures = counts.map(figuresOf);
  const measured = figures.filter(({ examples }) => examples > 0);
  return {
    accuracy: round(correct / Math.max(1, count)),
    macro_f1: round(measured.reduce((sum, { f1 }) => sum + (f1 ?? 0), 0) / Math.max(1, measured.length)),
    calibration_error: round(distance / Math.max(1, claims)),
    labels: Object.fromEntries(names.map((name, label) => [name, figures[label] as LabelFigures])),
  };
}

function findLabels({ loss }: Problem, row: Float64Array): Set<number> {
  const labels = Array.from(row.keys());
  if (loss === 'multi_class') return new Set(labels.filter((label) => (row[label] ?? 0) > FOUND_ABOVE));
  return new Set([labels.reduce((best, label) => ((row[label] ?? 0) > (row[best] ?? 0) ? label : best), 0)]);
}

/** What the scores claim: of labels that exclude each other only the highest one claims anything. */
function claimsOf({ loss, labels, members }: Problem, row: Float64Array, example: number, found: ReadonlySet<number>) {
  const claiming = loss === 'multi_class' ? Array.from(row.keys()) : [...found];
  return claiming.map((label) => ({ score: row[label] ?? 0, isRight: members[example * labels + label] === 1 }));
}

function figuresOf({ right, wrong, missed }: { right: number; wrong: number; missed: number }): LabelFigures {
  const share = (part: number, whole: number) => (whole === 0 ? null : round(part / whole));
  return {
    examples: right + missed,
    precision: share(right, right + wrong),
    recall: share(right, right + missed),
    f1: share(2 * right, 2 * right + wrong + missed),
  };
}

function round(value: number): number {
  return Math.round(value * PRECISION) / PRECISION;
}
