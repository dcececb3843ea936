/**
 * Which moments of a calendar are meant, field by field; an empty set of years means all. `eitherDay`: the day fits
 * when the day of the month or the day of the week does, as cron has it when both are restricted.
 */
export type CalendarFields = {
  second: ReadonlySet<number>;
  minute: ReadonlySet<number>;
  hour: ReadonlySet<number>;
  dayOfMonth: ReadonlySet<number>;
  month: ReadonlySet<number>;
  year: ReadonlySet<number>;
  dayOfWeek: ReadonlySet<number>;
  eitherDay: boolean;
};

/** A year that is further away than this is not looked for. */
const YEARS_AHEAD = 50;
const HOURS_OF_A_DAY = 24;

/** Moments of every hour follow the time that passes; those of certain hours follow what the clock shows. */
export function followsTime({ hour }: CalendarFields): boolean {
  return hour.size === HOURS_OF_A_DAY;
}

export function matches(fields: CalendarFields, local: number): boolean {
  const date = new Date(local);
  return (
    isDay(fields, date) &&
    fields.hour.has(date.getUTCHours()) &&
    fields.minute.has(date.getUTCMinutes()) &&
    fields.second.has(date.getUTCSeconds())
  );
}

/**
 * The first moment at or after `local` that fits. Local times are written as if they were UTC, so that the arithmetic
 * of dates works for them; what the clocks of a zone do to them is the caller's business.
 */
export function nextLocal(fields: CalendarFields, local: number): number | undefined {
  const start = new Date(Math.ceil(local / 1000) * 1000);
  const lastYear = start.getUTCFullYear() + YEARS_AHEAD;
  let [hour, minute, second] = [start.getUTCHours(), start.getUTCMinutes(), start.getUTCSeconds()];
  for (const day = startOfDay(start); day.getUTCFullYear() <= lastYear; ) {
    if (isDay(fields, day)) {
      const time = nextTime(fields, hour, minute, second);
      if (time !== undefined) return day.getTime() + time * 1000;
    }
    [hour, minute, second] = [0, 0, 0];
    if (fields.month.has(day.getUTCMonth() + 1) && isYear(fields, day)) day.setUTCDate(day.getUTCDate() + 1);
    else day.setUTCMonth(day.getUTCMonth() + 1, 1);
  }
  return undefined;
}

/** Seconds into the day of the first time that fits, from a time on. */
function nextTime(fields: CalendarFields, hour: number, minute: number, second: number): number | undefined {
  for (let h = hour; h < HOURS_OF_A_DAY; h++) {
    if (!fields.hour.has(h)) continue;
    for (let m = h === hour ? minute : 0; m < 60; m++) {
      if (!fields.minute.has(m)) continue;
      for (let s = h === hour && m === minute ? second : 0; s < 60; s++)
        if (fields.second.has(s)) return h * 3600 + m * 60 + s;
    }
  }
  return undefined;
}

function isDay(fields: CalendarFields, date: Date): boolean {
  if (!fields.month.has(date.getUTCMonth() + 1) || !isYear(fields, date)) return false;
  const [ofMonth, ofWeek] = [fields.dayOfMonth.has(date.getUTCDate()), fields.dayOfWeek.has(date.getUTCDay())];
  return fields.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}

function isYear({ year }: CalendarFields, date: Date): boolean {
  return year.size === 0 || year.has(date.getUTCFullYear());
}

function startOfDay(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()));
}
