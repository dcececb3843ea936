export type Month = {
  /** Days in UTC, both included. */
  first: string;
  last: string;
  /** `YYYY-MM`; of the current month there is none that follows. */
  previous: string;
  next: string | null;
};

/** The month that is asked for; left out, the current one, and the current year. */
export function monthAround(nowMs: number, month: string | null | undefined, year: string | null | undefined): Month {
  const today = new Date(nowMs);
  const wantedYear = year ? Number(year) : today.getUTCFullYear();
  const wantedMonth = month ? Number(month) - 1 : today.getUTCMonth();
  const day = (monthsLater: number, date: number) =>
    new Date(Date.UTC(wantedYear, wantedMonth + monthsLater, date)).toISOString().slice(0, 10);
  const next = day(1, 1).slice(0, 7);
  return {
    first: day(0, 1),
    last: day(1, 0),
    previous: day(-1, 1).slice(0, 7),
    next: next > today.toISOString().slice(0, 7) ? null : next,
  };
}
