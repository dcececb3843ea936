import type { EvaluatorStatistics } from './schema/results.ts';
import type { Sums, Tally } from './store/statistics.ts';

export type Statistics = Record<string, EvaluatorStatistics>;

/** The statistics of each run, record or generation, by its id. */
export function toStatistics({ sums, labels }: Tally): (owner: string) => Statistics {
  const byOwner = new Map<string, Statistics>();
  for (const row of sums) {
    const own = byOwner.get(row.owner) ?? {};
    byOwner.set(row.owner, own);
    const counts = labels.filter(({ owner, evaluator }) => owner === row.owner && evaluator === row.evaluator);
    own[row.evaluator] = counts.length > 0 ? toCategorical(row, counts) : toNumeric(row);
  }
  return (owner) => byOwner.get(owner) ?? {};
}

function toNumeric({ scores, numbers, sum, squares, min, max }: Sums): EvaluatorStatistics {
  const avg = numbers > 0 ? (sum ?? 0) / numbers : null;
  // Rounding can make the difference of equal numbers a little less than nothing.
  const std = avg === null ? null : Math.sqrt(Math.max(0, (squares ?? 0) / numbers - avg * avg));
  return { type: 'numeric', values: null, sample_count: numbers, avg, min, max, std, count: scores };
}

function toCategorical({ scores }: Sums, counts: { label: string; count: number }[]): EvaluatorStatistics {
  const most = Math.max(...counts.map(({ count }) => count));
  const labelled = counts.reduce((total, { count }) => total + count, 0);
  return {
    type: 'categorical',
    frequencies: Object.fromEntries(counts.map(({ label, count }) => [label, count])),
    mode: counts.flatMap(({ label, count }) => (count === most ? [label] : [])),
    count: labelled,
    values: null,
    excluded_count: scores - labelled,
    confusion_matrix: null,
  };
}
