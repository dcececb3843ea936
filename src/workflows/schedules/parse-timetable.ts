import { workflowErrors } from '../errors.ts';
import { parseDuration } from '../schema/parse-duration.ts';
import type { ScheduleCalendar, ScheduleInterval, TimetableDefinition } from '../schema/schedules.ts';
import { toUtcMicros } from '../schema/times.ts';
import type { CalendarFields } from './calendar.ts';
import type { Timetable } from './next-times.ts';
import { BadCron, parseCron } from './parse-cron.ts';
import { isTimeZone } from './zone-offsets.ts';

type Loc = (string | number)[];
type Range = ScheduleCalendar['second'][number];

const AT: Loc = ['body', 'schedule'];
const INTERVAL_MS_MIN = 1000;
const UTC = 'UTC';
/** Of all calendars together: each range has up to a hundred values, and a schedule is parsed for each start. */
const RANGES_MAX = 2000;

export const TOO_EXPENSIVE =
  'The next start takes too long to compute. Use fewer calendars and cron expressions, and skip fewer times.';

/** Parses the fields of a schedule. Throws a 422 that names the invalid field. */
export function parseTimetable(definition: TimetableDefinition): Timetable {
  const { calendars = [], intervals = [], cron_expressions = [], skip = [], jitter, time_zone_name } = definition;
  if (countRanges([...calendars, ...skip]) > RANGES_MAX)
    throw workflowErrors.schedule_too_expensive(AT, `Its calendars may have ${RANGES_MAX} ranges in all.`, null);
  const zone = time_zone_name ?? UTC;
  if (!isTimeZone(zone))
    throw workflowErrors.time_zone_unknown([...AT, 'time_zone_name'], 'The IANA database has no such time zone.', zone);
  return {
    calendars: [
      ...calendars.map((calendar, index) => readCalendar(calendar, [...AT, 'calendars', index])),
      ...cron_expressions.map((expression, index) => readCron(expression, [...AT, 'cron_expressions', index])),
    ],
    intervals: intervals.map((interval, index) => readInterval(interval, [...AT, 'intervals', index])),
    skip: skip.map((calendar, index) => readCalendar(calendar, [...AT, 'skip', index])),
    zone: zone === UTC ? UTC : zone,
    startMs: timeOf(definition.start_at),
    endMs: timeOf(definition.end_at),
    jitterMs: jitter == null ? 0 : readDuration(jitter, [...AT, 'jitter']),
  };
}

function countRanges(calendars: ScheduleCalendar[]): number {
  let count = 0;
  for (const calendar of calendars)
    for (const field of Object.values(calendar)) count += Array.isArray(field) ? field.length : 0;
  return count;
}

function timeOf(text: string | null | undefined): number | undefined {
  return text == null ? undefined : Date.parse(toUtcMicros(text));
}

function readCron(expression: string, loc: Loc): CalendarFields {
  try {
    return parseCron(expression);
  } catch (error) {
    if (error instanceof BadCron) throw workflowErrors.cron_not_valid(loc, error.message, expression);
    throw error;
  }
}

function readInterval({ every, offset }: ScheduleInterval, loc: Loc): Timetable['intervals'][number] {
  const everyMs = readDuration(every, [...loc, 'every']);
  if (everyMs < INTERVAL_MS_MIN)
    throw workflowErrors.duration_not_valid([...loc, 'every'], 'An interval must be at least one second.', every);
  return { everyMs, offsetMs: offset == null ? 0 : readDuration(offset, [...loc, 'offset']) % everyMs };
}

function readDuration(text: string, loc: Loc): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw workflowErrors.duration_not_valid(
      loc,
      'This must be a duration of weeks, days, hours, minutes and seconds, for example PT1H30M.',
      text,
    );
  return ms;
}

const LIMITS = {
  second: [0, 59],
  minute: [0, 59],
  hour: [0, 23],
  day_of_month: [1, 31],
  month: [1, 12],
  day_of_week: [0, 6],
  year: [2000, 2100],
} as const;

function readCalendar(calendar: ScheduleCalendar, loc: Loc): CalendarFields {
  const read = (name: keyof typeof LIMITS) => {
    const [min, max] = LIMITS[name];
    return readRanges(calendar[name], min, max, [...loc, name]);
  };
  return {
    second: read('second'),
    minute: read('minute'),
    hour: read('hour'),
    dayOfMonth: read('day_of_month'),
    month: read('month'),
    dayOfWeek: read('day_of_week'),
    year: read('year'),
    eitherDay: false,
  };
}

/** An end before the start means the start alone; a step of 0 means 1. */
function readRanges(ranges: Range[], min: number, max: number, loc: Loc): Set<number> {
  const values = new Set<number>();
  const isOptional = loc.at(-1) === 'year';
  if (ranges.length === 0 && !isOptional)
    throw workflowErrors.calendar_range_not_valid(loc, 'A field of a calendar needs at least one range.', ranges);
  for (const [index, { start, end, step }] of ranges.entries()) {
    const last = Math.max(start, end);
    if (start < min || last > max)
      throw workflowErrors.calendar_range_not_valid([...loc, index], `The range must be within ${min} and ${max}.`, {
        start,
        end,
        step,
      });
    for (let value = start; value <= last; value += Math.max(1, step)) values.add(value);
  }
  return values;
}
