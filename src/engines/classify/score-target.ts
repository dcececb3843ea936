import type { LossFunction, TargetHead } from './definition.ts';

const PRECISION = 1_000_000;

/** The score of each label for a vector. */
export function scoreTarget({ labels, weights, loss_function }: TargetHead, vector: Float32Array): number[] {
  const stride = vector.length + 1;
  const logits = labels.map((_, label) => {
    const start = label * stride;
    let sum = weights[start + vector.length] ?? 0;
    for (let index = 0; index < vector.length; index++) sum += (weights[start + index] ?? 0) * (vector[index] ?? 0);
    return sum;
  });
  return toScores(logits, loss_function);
}

export function toScores(logits: readonly number[], lossFunction: LossFunction): number[] {
  if (lossFunction === 'multi_class') return logits.map((logit) => 1 / (1 + Math.exp(-logit)));
  const highest = Math.max(...logits);
  const parts = logits.map((logit) => Math.exp(logit - highest));
  const total = parts.reduce((sum, part) => sum + part, 0);
  return parts.map((part) => part / total);
}

/** The scores under the names of their labels, rounded for the wire. */
export function nameScores(labels: readonly string[], scores: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    labels.map((label, index) => [label, Math.round((scores[index] ?? 0) * PRECISION) / PRECISION]),
  );
}
