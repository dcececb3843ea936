import type { ConsoleUsage } from '../../../../src/console/schema/usage.ts';

export type Breakdown = 'model' | 'key_id' | 'workspace_id';
export type Metric = 'tokens' | 'requests' | 'cost';
export type Usage = ConsoleUsage;
export type UsageNumbers = ConsoleUsage['total'];

export const metrics: Record<Metric, { label: string; of: (row: UsageNumbers) => number }> = {
  tokens: { label: 'Tokens', of: totalTokens },
  requests: { label: 'Requests', of: ({ requests }) => requests },
  cost: { label: 'Cost', of: ({ cost }) => cost },
};

/** The number of series that stay distinguishable in a chart; the rest is combined. */
const seriesMax = 5;

export function totalTokens({ prompt_tokens, completion_tokens }: UsageNumbers): number {
  return prompt_tokens + completion_tokens;
}

/** Totals of the period per model, key or workspace, largest first. */
export function sumBy({ rows, names }: Usage, by: Breakdown): (UsageNumbers & { id: string; name: string })[] {
  const sums = new Map<string, UsageNumbers & { id: string; name: string }>();
  for (const row of rows) {
    const id = row[by] ?? '';
    const sum = sums.get(id) ?? {
      id,
      name: names[id] ?? (id || 'Unknown'),
      requests: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      cost: 0,
    };
    sum.requests += row.requests;
    sum.prompt_tokens += row.prompt_tokens;
    sum.completion_tokens += row.completion_tokens;
    sum.cached_tokens += row.cached_tokens;
    sum.cost += row.cost;
    sums.set(id, sum);
  }
  return [...sums.values()].sort(
    (one, other) => totalTokens(other) - totalTokens(one) || other.requests - one.requests,
  );
}

/** Every day of the period, also those without usage; a series for each of the largest and one for the rest. */
export function toSeries(usage: Usage, by: Breakdown, metric: Metric): { days: string[]; series: Series[] } {
  const days = daysBetween(usage.from, usage.to);
  const order = sumBy(usage, by).sort((one, other) => metrics[metric].of(other) - metrics[metric].of(one));
  const shown = order.slice(0, seriesMax).map(({ id, name }) => ({ id, name }));
  const series = shown.map(({ name }) => ({ name, values: days.map(() => 0) }));
  const rest: Series = { name: 'Others', values: days.map(() => 0) };
  for (const row of usage.rows) {
    const day = days.indexOf((row.day ?? '').slice(0, 10));
    const at = shown.findIndex(({ id }) => id === (row[by] ?? ''));
    const values = (series[at] ?? rest).values;
    if (day >= 0) values[day] = (values[day] ?? 0) + metrics[metric].of(row);
  }
  return { days, series: order.length > seriesMax ? [...series, rest] : series };
}

export type Series = { name: string; values: number[] };

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from.slice(0, 10)); at <= Date.parse(to.slice(0, 10)); at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}
