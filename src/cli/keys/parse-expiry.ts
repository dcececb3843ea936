import { UsageError } from '../shell/command.ts';

const UNITS_MS: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const DURATION = /^([1-9]\d{0,4})([hdw])$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** When a key ends: a day counts to its end in UTC, a duration from now. */
export function parseExpiry(text: string, nowMs: number): string {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  if (count !== undefined) return new Date(nowMs + Number(count) * (UNITS_MS[unit] ?? 0)).toISOString();
  // Parsed and printed again, because Date turns 31 February into a day of March.
  const start = DAY.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (start && !Number.isNaN(start.getTime()) && start.toISOString().startsWith(text)) return `${text}T23:59:59.999Z`;
  throw new UsageError(
    `--expires must be a day such as 2027-01-31 or a time from now such as 30d or 12h, not '${text}'.`,
  );
}
