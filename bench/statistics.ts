export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The smallest value that a share of all values does not exceed. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN;
}
