import { describeProgress } from '../../operator/weights.ts';

const WIDTH = 24;

/** `fetching tiny [#######-----] 34 of 98 MB at 5.0 MB/s, 13 s left`; the bar only where the whole is known. */
export function drawProgress(label: string, progress: NonNullable<Parameters<typeof describeProgress>[0]>): string {
  const { phase, doneBytes, totalBytes } = progress;
  const words = describeProgress(progress);
  if (phase !== 'transferring' || !totalBytes) return `${label}: ${words}`;
  const full = Math.min(WIDTH, Math.floor((doneBytes / totalBytes) * WIDTH));
  return `${label} [${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${words}`;
}
