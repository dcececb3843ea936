import { formatNumber } from '../../ui/format.ts';
import type { Run } from './queries.ts';

export type Statistics = Run['statistics'][string];
type Score = { evaluator: string; text: string; share: number };

const rounded = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const signed = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3, signDisplay: 'exceptZero' });

export const formatScore = (value: number): string => rounded.format(value);
export const formatChange = (value: number): string => signed.format(value);
export const formatCost = (cost: number): string => (cost === 0 ? '0' : cost.toFixed(cost < 1 ? 5 : 2));

/** One line for each evaluator: the mean, or how often the most frequent label was given. */
export function scoresOf({ evaluators, statistics }: Pick<Run, 'evaluators' | 'statistics'>): Score[] {
  return evaluators.flatMap(({ name, min_value, max_value }) => {
    const known = statistics[name];
    if (!known || known.count === 0) return [];
    if (known.type === 'numeric') {
      if (known.avg === null) return [];
      const [low, high] = [min_value ?? 0, max_value ?? Math.max(1, known.max ?? 1)];
      const share = high > low ? (known.avg - low) / (high - low) : 0;
      return [{ evaluator: name, text: formatScore(known.avg), share: Math.min(1, Math.max(0, share)) }];
    }
    const [label = '', times = 0] =
      Object.entries(known.frequencies).sort(([, one], [, other]) => other - one)[0] ?? [];
    const text = `${label} ${formatNumber(times)} of ${formatNumber(known.count)}`;
    return [{ evaluator: name, text, share: times / known.count }];
  });
}

/** The labels that an evaluator gave, most frequent first. */
export function labelsOf(statistics: Statistics | undefined): string[] {
  if (statistics?.type !== 'categorical') return [];
  return Object.entries(statistics.frequencies)
    .sort(([, one], [, other]) => other - one)
    .map(([label]) => label);
}
