import { UsageError } from '../shell/command.ts';

export type Days = { from: string; to: string };

/** A range of days in UTC, both included: a month, or from and to, each left open ends today; else this month. */
export function parseDays(
  given: { month: string | undefined; from: string | undefined; to: string | undefined },
  nowMs: number,
): Days {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  if (given.month !== undefined && (given.from ?? given.to) !== undefined)
    throw new UsageError('Give either --month or --from and --to.');
  const month = given.month ?? (given.to ?? today).slice(0, 7);
  if (given.month !== undefined && !isDay(`${month}-01`))
    throw new UsageError(`--month must be a month such as 2027-01, not '${month}'.`);
  const from = readDay('from', given.from ?? `${month}-01`);
  const to = readDay('to', given.month === undefined ? (given.to ?? today) : `${month}-${lastDayOf(month)}`);
  if (from > to) throw new UsageError(`--from ${from} is after --to ${to}.`);
  return { from, to };
}

function readDay(option: string, text: string): string {
  if (!isDay(text)) throw new UsageError(`--${option} must be a day such as 2027-01-31, not '${text}'.`);
  return text;
}

// Parsed and printed again, because Date turns 31 February into a day of March.
function isDay(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function lastDayOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).getUTCDate();
}
