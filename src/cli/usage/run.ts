import { systemClock } from '../../kit/base/clock.ts';
import { reportUsage, type UsageGroup, type UsageReport, usageGroups } from '../../operator/usage.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatAmount, formatTable } from '../shell/format-table.ts';
import { isDay, parseChoices } from '../shell/parse-values.ts';
import { withPlatform } from '../shell/with-platform.ts';

export async function showUsage(context: Context): Promise<undefined> {
  const { args, output } = context;
  const by = parseChoices('value of --by', args.text('by') ?? 'model', usageGroups);
  const days = parseDays({ month: args.text('month'), from: args.text('from'), to: args.text('to') }, systemClock());
  const report = await withPlatform(context, (platform, config) =>
    reportUsage(platform, config, {
      ...days,
      by,
      organization: args.text('organization'),
      workspace: args.text('workspace'),
      key: args.text('key'),
      model: args.text('model'),
    }),
  );
  output.result(report, `${report.organization.name}, ${report.from} to ${report.to} (UTC)\n\n${tableOf(report, by)}`);
}

function tableOf({ rows, total, names }: UsageReport, by: UsageGroup[]): string {
  const header = [...by.map((part) => part.toUpperCase()), 'REQUESTS', 'PROMPT', 'COMPLETION', 'CACHED', 'COST'];
  const cells = (row: UsageReport['total']) => [
    ...[row.requests, row.prompt_tokens, row.completion_tokens, row.cached_tokens].map(String),
    formatAmount(row.cost),
  ];
  return formatTable(header, [
    ...rows.map((row) => [...by.map((part) => nameOf(row[part] ?? '', names)), ...cells(row)]),
    [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cells(total)],
  ]);
}

/** With the id, because names are not unique. */
function nameOf(value: string, names: Record<string, string>): string {
  return names[value] === undefined ? value : `${names[value]} (${value})`;
}

/** A range of days in UTC, both included: a month, or --from and --to, or this month. */
export function parseDays(
  given: { month: string | undefined; from: string | undefined; to: string | undefined },
  nowMs: number,
): { from: string; to: string } {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  if (given.month !== undefined && (given.from ?? given.to) !== undefined)
    throw new UsageError('Give either --month or --from and --to.');
  const month = given.month ?? (given.to ?? today).slice(0, 7);
  if (given.month !== undefined && !isDay(`${month}-01`))
    throw new UsageError(`--month must be a month such as 2027-01, not '${month}'.`);
  const from = parseDay('from', given.from ?? `${month}-01`);
  const to = parseDay('to', given.month === undefined ? (given.to ?? today) : `${month}-${lastDayOf(month)}`);
  if (from > to) throw new UsageError(`--from ${from} is after --to ${to}.`);
  return { from, to };
}

function parseDay(option: string, text: string): string {
  if (!isDay(text)) throw new UsageError(`--${option} must be a day such as 2027-01-31, not '${text}'.`);
  return text;
}

function lastDayOf(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).getUTCDate();
}
