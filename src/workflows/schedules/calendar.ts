/**
 * The values that match, field by field; an empty set of years means all. `eitherDay`: the day of the month or the day
 * of the week must match, as in cron when both are restricted.
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

/** Bounds a search: a step per day, interval and skipped calendar that is tried. Tenants write what may never match. */
export type Budget = { steps: number };

const YEARS_AHEAD_MAX = 50;
const HOURS_OF_A_DAY = 24;
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1000, 60_000, 3_600_000, 86_400_000];

/** Whether every hour matches. Such calendars ignore clock changes; all others follow the local clock. */
export function matchesEveryHour({ hour }: CalendarFields): boolean {
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

/** The end of the matching period around a local time that matches, as far as whole minutes, hours or days match. */
export function matchesUntil({ second, minute, hour }: CalendarFields, local: number): number {
  const unit =
    second.size < 60 ? SECOND_MS : minute.size < 60 ? MINUTE_MS : hour.size < HOURS_OF_A_DAY ? HOUR_MS : DAY_MS;
  return (Math.floor(local / unit) + 1) * unit;
}

/** The first match at or after `local`. Local times are encoded as UTC; the caller handles clock changes. */
export function nextLocal(fields: CalendarFields, local: number, budget: Budget): number | undefined {
  const start = new Date(Math.ceil(local / 1000) * 1000);
  const lastYear = start.getUTCFullYear() + YEARS_AHEAD_MAX;
  let [hour, minute, second] = [start.getUTCHours(), start.getUTCMinutes(), start.getUTCSeconds()];
  for (const day = startOfDay(start); day.getUTCFullYear() <= lastYear; ) {
    if (budget.steps-- <= 0) return undefined;
    if (isDay(fields, day)) {
      const time = nextTimeOfDay(fields, hour, minute, second);
      if (time !== undefined) return day.getTime() + time * 1000;
    }
    [hour, minute, second] = [0, 0, 0];
    if (fields.month.has(day.getUTCMonth() + 1) && isYear(fields, day)) day.setUTCDate(day.getUTCDate() + 1);
    else day.setUTCMonth(day.getUTCMonth() + 1, 1);
  }
  return undefined;
}

/** The first matching time of the day, in seconds. */
function nextTimeOfDay(fields: CalendarFields, hour: number, minute: number, second: number): number | undefined {
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
