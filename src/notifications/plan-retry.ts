const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits between the attempts; all together a day. */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

/** The wait after this attempt, a little random so that receivers are not hit by all at once; undefined after the last. */
export function retryWaitMs(attempt: number, random: () => number = Math.random): number | undefined {
  const waitMs = WAITS_MS[attempt - 1];
  return waitMs === undefined ? undefined : Math.round(waitMs * (1 + random() / 10));
}
