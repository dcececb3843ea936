import { describeProgress } from '../../operator/weights.ts';

const WIDTH = 24;

/** `downloading tiny [#######-----] 34 of 98 MB at 5.0 MB/s, 13 s left`; no bar if the total is unknown. */
export function drawProgress(label: string, progress: NonNullable<Parameters<typeof describeProgress>[0]>): string {
  const { phase, doneBytes, totalBytes } = progress;
  const text = describeProgress(progress);
  if (phase !== 'transferring' || !totalBytes) return `${label}: ${text}`;
  const full = Math.min(WIDTH, Math.floor((doneBytes / totalBytes) * WIDTH));
  return `${label} [${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${text}`;
}
