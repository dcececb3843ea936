import { systemClock } from '../../kit/base/clock.ts';
import { reportUsage, type UsageGroup, type UsageReport, usageGroups } from '../../operator/usage.ts';
import { type Context, type ExitCode, UsageError } from '../command.ts';
import { formatTable } from '../format-table.ts';
import { formatAmount } from '../parse-amount.ts';
import { parseDays } from '../parse-days.ts';
import { withPlatform } from '../with-platform.ts';

export async function showUsage(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const by = readParts(args.text('by') ?? 'model');
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
  return 0;
}

function readParts(text: string): UsageGroup[] {
  const words = new Set(text.split(',').map((word) => word.trim()));
  return [...words].map((word) => {
    const part = usageGroups.find((known) => known === word);
    if (!part)
      throw new UsageError(`--by takes ${usageGroups.join(', ')}, several with commas between; not '${word}'.`);
    return part;
  });
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

/** Names may be shared, so the id stands beside. */
function nameOf(value: string, names: Record<string, string>): string {
  return names[value] === undefined ? value : `${names[value]} (${value})`;
}
