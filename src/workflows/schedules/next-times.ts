import { createHash } from 'node:crypto';
import { type Budget, type CalendarFields, matches, matchesEveryHour, matchesUntil, nextLocal } from './calendar.ts';
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
const DAY_MS = 86_400_000;
/** Each step of a search goes to the segment of the next match, so a few are enough. */
const SEGMENTS_MAX = 100;
/** Looking at a segment costs about as much as trying so many days. */
const SEGMENT_STEPS = 5;
/** Some ten milliseconds. */
const STEPS_MAX = 20_000;

export const createBudget = (): Budget => ({ steps: STEPS_MAX });

/** The first start after an instant, without jitter. Undefined also when the budget is used up. */
export function nextTime(table: Timetable, after: number, budget: Budget): number | undefined {
  let from = Math.max(after, (table.startMs ?? Number.NEGATIVE_INFINITY) - 1);
  for (;;) {
    const at = earliestOf(table, from, budget);
    if (budget.steps <= 0) return undefined;
    if (at === undefined || (table.endMs !== undefined && at > table.endMs)) return undefined;
    const until = skippedUntil(table, at, budget);
    if (until === undefined) return at;
    from = until - 1;
  }
}

function earliestOf({ calendars, intervals, zone }: Timetable, from: number, budget: Budget): number | undefined {
  let found: number | undefined;
  const take = (at: number | undefined) => {
    if (at !== undefined && (found === undefined || at < found)) found = at;
  };
  budget.steps -= intervals.length;
  for (const interval of intervals) take(nextOfInterval(interval, from));
  for (const fields of calendars) {
    if (budget.steps <= 0) break;
    take(nextOfCalendar(fields, zone, from, budget));
  }
  return found;
}

/** The delay of one start: the same in every process, evenly spread over the jitter, and never past the next start. */
export function jitterOf(table: Timetable, scheduleId: string, at: number, budget: Budget): number {
  if (table.jitterMs === 0) return 0;
  const next = nextTime(table, at, budget);
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
    budget.steps -= SEGMENT_STEPS;
    if (budget.steps <= 0) return undefined;
    const [shownBefore, shownAfter] = [start + previousOffsetMs, start + offsetMs];
    const skipped = isFree ? undefined : nextLocal(fields, Math.max(from + previousOffsetMs, shownBefore), budget);
    const late = skipped !== undefined && skipped < shownAfter ? skipped - previousOffsetMs : undefined;
    const firstLocal = Math.max(from + offsetMs, isFree ? shownAfter : Math.max(shownBefore, shownAfter));
    const local = nextLocal(fields, firstLocal, budget);
    const regular = local !== undefined && local - offsetMs < until ? local - offsetMs : undefined;
    if (late !== undefined || regular !== undefined)
      return Math.min(late ?? Number.POSITIVE_INFINITY, regular ?? Number.POSITIVE_INFINITY);
    if (local === undefined) return undefined;
    // No clock shows a match before this local time, so the segments before it need no search.
    from = Math.max(until, local - offsetMs - DAY_MS);
  }
  return undefined;
}

/** The end of the longest period around a start in which nothing starts; undefined when the start is not skipped. */
function skippedUntil({ skip, zone }: Timetable, at: number, budget: Budget): number | undefined {
  if (skip.length === 0) return undefined;
  budget.steps -= skip.length;
  const { offsetMs, until: segmentEnds } = segmentAt(zone, at);
  const local = Math.floor((at + offsetMs) / SECOND_MS) * SECOND_MS;
  let until: number | undefined;
  for (const fields of skip) {
    if (!matches(fields, local)) continue;
    const ends = Math.min(matchesUntil(fields, local) - offsetMs, segmentEnds);
    until = Math.max(until ?? at + 1, ends);
  }
  return until;
}
