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

/** A receiver that asks for more than the longest of our waits is tried after that. */
const ASKED_MAX_MS = 8 * HOUR_MS;

type Retry = { askedMs?: number | undefined; random?: () => number };

/**
 * The wait after this attempt, a little random so that receivers are not hit by all at once, and no shorter than the
 * receiver asks for; undefined after the last attempt.
 */
export function retryWaitMs(attempt: number, { askedMs = 0, random = Math.random }: Retry = {}): number | undefined {
  const waitMs = WAITS_MS[attempt - 1];
  if (waitMs === undefined) return undefined;
  return Math.round(Math.max(waitMs, Math.min(askedMs, ASKED_MAX_MS)) * (1 + random() / 10));
}

/** What a receiver asks for in Retry-After: seconds, or a time. Undefined where it does not, or in another form. */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const given = text.trim();
  const waitMs = /^\d{1,9}$/.test(given) ? Number(given) * SECOND_MS : Date.parse(given) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
