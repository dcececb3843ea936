import type { Granularity, TimeRange } from './schema/wire.ts';
import type { Bucket } from './store/aggregate.ts';

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
const HOUR_US = 60 * MINUTE_US;
export const DAY_US = 24 * HOUR_US;
/** The epoch was a Thursday; weeks begin on Monday. */
const MONDAY_US = 4 * DAY_US;

/** From and to in microseconds; the end is now, unless it is given. */
export function toRange({ from, to }: TimeRange, nowMs: number, lengthUs: number): { fromUs: number; toUs: number } {
  // One more, so that what ends now is included.
  const toUs = to ? toMicros(to) : nowMs * 1000 + 1;
  return { fromUs: from ? toMicros(from) : toUs - lengthUs, toUs };
}

/** A time without a zone is in UTC. */
function toMicros(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`) * 1000;
}

const LENGTHS: Record<Exclude<Granularity, 'auto' | 'month'>, number> = {
  second: SECOND_US,
  minute: MINUTE_US,
  hour: HOUR_US,
  day: DAY_US,
  week: 7 * DAY_US,
};

/** `auto` is some dozens of buckets. */
export function toBucket(granularity: Granularity, lengthUs: number): { bucket: Bucket; seconds: number | null } {
  const chosen = granularity === 'auto' ? chooseGranularity(lengthUs) : granularity;
  if (chosen === 'month') return { bucket: 'month', seconds: null };
  const everyUs = LENGTHS[chosen];
  return { bucket: { everyUs, offsetUs: chosen === 'week' ? MONDAY_US : 0 }, seconds: everyUs / SECOND_US };
}

function chooseGranularity(lengthUs: number): keyof typeof LENGTHS {
  if (lengthUs <= 2 * MINUTE_US) return 'second';
  if (lengthUs <= 2 * HOUR_US) return 'minute';
  return lengthUs <= 3 * DAY_US ? 'hour' : 'day';
}
