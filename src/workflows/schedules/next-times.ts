import { createHash } from 'node:crypto';
import { type CalendarFields, followsTime, matches, nextLocal } from './calendar.ts';
import { offsetAt, segmentAt } from './zone-offsets.ts';

export type Timetable = {
  calendars: CalendarFields[];
  intervals: { everyMs: number; offsetMs: number }[];
  skip: CalendarFields[];
  zone: string;
  startMs: number | undefined;
  endMs: number | undefined;
  jitterMs: number;
};

const SECOND_MS = 1000;
/** Times in a row that may be skipped before the timetable is held to have come to its end. */
const SKIPPED_MAX = 20_000;
/** Two changes of the clocks in each of fifty years. */
const SEGMENTS_MAX = 100;

/** The first time after an instant at which the timetable says to start, as it is written: without jitter. */
export function nextTime(table: Timetable, after: number): number | undefined {
  let from = Math.max(after, (table.startMs ?? Number.NEGATIVE_INFINITY) - 1);
  for (let skipped = 0; skipped < SKIPPED_MAX; skipped++) {
    const at = earliest([
      ...table.calendars.map((fields) => nextOfCalendar(fields, table.zone, from)),
      ...table.intervals.map((interval) => nextOfInterval(interval, from)),
    ]);
    if (at === undefined || (table.endMs !== undefined && at > table.endMs)) return undefined;
    if (!isSkipped(table, at)) return at;
    from = at;
  }
  return undefined;
}

/**
 * The delay of one start: the same whoever asks, spread evenly over the jitter, and never so long that the start would
 * come after the next one.
 */
export function jitterOf(table: Timetable, scheduleId: string, at: number): number {
  if (table.jitterMs === 0) return 0;
  const next = nextTime(table, at);
  const limit = Math.min(table.jitterMs, (next ?? Number.POSITIVE_INFINITY) - at);
  const digest = createHash('sha256').update(`${scheduleId}:${at}`).digest();
  return Math.floor((digest.readUInt32BE() / 2 ** 32) * limit);
}

function nextOfInterval({ everyMs, offsetMs }: Timetable['intervals'][number], after: number): number {
  return (Math.floor((after - offsetMs) / everyMs) + 1) * everyMs + offsetMs;
}

/**
 * Between two changes of the clocks, local time is time plus an offset. Where the clocks go forward, what they skip is
 * done as much later as they skipped; where they go back, what they show twice is done the first time. Moments of every
 * hour are not bound to the clock: they simply go on.
 */
export function nextOfCalendar(fields: CalendarFields, zone: string, after: number): number | undefined {
  const isFree = followsTime(fields);
  let from = after + 1;
  for (let segments = 0; segments < SEGMENTS_MAX; segments++) {
    const { from: start, until, offsetMs, previousOffsetMs } = segmentAt(zone, from);
    const [shownBefore, shownAfter] = [start + previousOffsetMs, start + offsetMs];
    const skipped = isFree ? undefined : nextLocal(fields, Math.max(from + previousOffsetMs, shownBefore));
    const late = skipped !== undefined && skipped < shownAfter ? skipped - previousOffsetMs : undefined;
    const local = nextLocal(fields, Math.max(from + offsetMs, isFree ? shownAfter : Math.max(shownBefore, shownAfter)));
    const regular = local !== undefined && local - offsetMs < until ? local - offsetMs : undefined;
    const at = earliest([late, regular]);
    if (at !== undefined) return at;
    if (local === undefined) return undefined;
    from = until;
  }
  return undefined;
}

function isSkipped({ skip, zone }: Timetable, at: number): boolean {
  if (skip.length === 0) return false;
  const local = Math.floor((at + offsetAt(zone, at)) / SECOND_MS) * SECOND_MS;
  return skip.some((fields) => matches(fields, local));
}

function earliest(times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
