export type TimeSpan = { fromMs: number; toMs: number };
export type Tick = { atMs: number; label: string };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Round intervals between marks. */
const STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];

/** Marks from the start of the span, limited in number and labelled with the time since `zeroMs`. */
export function ticksOf(span: TimeSpan, zeroMs: number, count: number): Tick[] {
  const length = span.toMs - span.fromMs;
  if (!(length > 0)) return [];
  const stepMs = STEPS.find((step) => length / step <= count) ?? Math.ceil(length / count / DAY) * DAY;
  const ticks: Tick[] = [];
  const first = Math.ceil((span.fromMs - zeroMs) / stepMs) * stepMs;
  for (let at = first; zeroMs + at <= span.toMs; at += stepMs)
    ticks.push({ atMs: zeroMs + at, label: labelOf(at, stepMs) });
  return ticks;
}

function labelOf(ms: number, stepMs: number): string {
  if (ms === 0) return '0';
  if (stepMs < SECOND)
    return ms < SECOND ? `${ms} ms` : `${(ms / SECOND).toFixed(stepMs < 10 ? 3 : stepMs < 100 ? 2 : 1)} s`;
  return formatDuration(ms);
}

/** A duration in its two largest units. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1) return '< 1 ms';
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${trim((ms / SECOND).toFixed(2))} s`;
  if (ms < MINUTE) return `${trim((ms / SECOND).toFixed(1))} s`;
  if (ms < HOUR) return pair(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return pair(ms, HOUR, 'h', MINUTE, 'min');
  return pair(ms, DAY, 'd', HOUR, 'h');
}

function pair(ms: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const rounded = Math.round(ms / smaller) * smaller;
  const rest = Math.round((rounded % unit) / smaller);
  return `${Math.floor(rounded / unit)} ${name}${rest > 0 ? ` ${rest} ${smallerName}` : ''}`;
}

function trim(number: string): string {
  return number.replace(/\.?0+$/, '');
}

/** The position of a bar in the span, in percent; undefined if outside. */
export function positionOf(
  span: TimeSpan,
  startMs: number,
  endMs: number,
): { left: number; width: number } | undefined {
  const length = Math.max(1, span.toMs - span.fromMs);
  if (endMs < span.fromMs || startMs > span.toMs) return undefined;
  const left = Math.max(0, (startMs - span.fromMs) / length);
  const right = Math.min(1, (endMs - span.fromMs) / length);
  return { left: left * 100, width: Math.max(0, right - left) * 100 };
}
