import { createHash } from 'node:crypto';
import { type Budget, type CalendarFields, matches, matchesEveryHour, nextLocal } from './calendar.ts';
import { segmentAt } from './zone-offsets.ts';

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
/** Consecutive times that may be skipped; after that the timetable counts as ended. */
const SKIPPED_MAX = 20_000;
/** Two clock changes per year for fifty years. */
const SEGMENTS_MAX = 100;
/** About a tenth of a second. */
const STEPS_MAX = 100_000;

export const createBudget = (): Budget => ({ steps: STEPS_MAX });

/** The first start after an instant, without jitter. Undefined also when the budget is used up. */
export function nextTime(table: Timetable, after: number, budget: Budget = createBudget()): number | undefined {
  let from = Math.max(after, (table.startMs ?? Number.NEGATIVE_INFINITY) - 1);
  for (let skipped = 0; skipped < SKIPPED_MAX; skipped++) {
    const at = earliest([
      ...table.calendars.map((fields) => nextOfCalendar(fields, table.zone, from, budget)),
      ...table.intervals.map((interval) => nextOfInterval(interval, from)),
    ]);
    if (budget.steps <= 0) return undefined;
    if (at === undefined || (table.endMs !== undefined && at > table.endMs)) return undefined;
    if (!isSkipped(table, at)) return at;
    from = at;
  }
  return undefined;
}

/** The delay of one start: the same in every process, evenly spread over the jitter, and never past the next start. */
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
 * A local time that the clocks skip runs later by as much as they skipped; one that they show twice runs the first time.
 * Calendars that match every hour ignore clock changes.
 */
function nextOfCalendar(fields: CalendarFields, zone: string, after: number, budget: Budget): number | undefined {
  const isFree = matchesEveryHour(fields);
  let from = after + 1;
  for (let segments = 0; segments < SEGMENTS_MAX; segments++) {
    const { from: start, until, offsetMs, previousOffsetMs } = segmentAt(zone, from);
    const [shownBefore, shownAfter] = [start + previousOffsetMs, start + offsetMs];
    const skipped = isFree ? undefined : nextLocal(fields, Math.max(from + previousOffsetMs, shownBefore), budget);
    const late = skipped !== undefined && skipped < shownAfter ? skipped - previousOffsetMs : undefined;
    const firstLocal = Math.max(from + offsetMs, isFree ? shownAfter : Math.max(shownBefore, shownAfter));
    const local = nextLocal(fields, firstLocal, budget);
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
  const local = Math.floor((at + segmentAt(zone, at).offsetMs) / SECOND_MS) * SECOND_MS;
  return skip.some((fields) => matches(fields, local));
}

function earliest(times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
