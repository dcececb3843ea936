import type { ConsoleUsage } from '../../../../src/console/schema/usage.ts';

export type Breakdown = 'model' | 'key_id' | 'user_id' | 'workspace_id';
/** The length of a bar. */
export type Step = 'hour' | 'day';
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

/** Every hour or day of the period, also those without usage; a series for each of the largest and one for the rest. */
export function toSeries(
  usage: Usage,
  by: Breakdown,
  metric: Metric,
  step: Step,
): { days: string[]; series: Series[] } {
  const days = timesBetween(usage.from, usage.to, step);
  const order = sumBy(usage, by).sort((one, other) => metrics[metric].of(other) - metrics[metric].of(one));
  const shown = order.slice(0, seriesMax).map(({ id, name }) => ({ id, name }));
  const series = shown.map(({ name }) => ({ name, values: days.map(() => 0) }));
  const rest: Series = { name: 'Others', values: days.map(() => 0) };
  for (const row of usage.rows) {
    const day = days.indexOf(step === 'hour' ? `${row.hour}:00:00Z` : (row.day ?? '').slice(0, 10));
    const at = shown.findIndex(({ id }) => id === (row[by] ?? ''));
    const values = (series[at] ?? rest).values;
    if (day >= 0) values[day] = (values[day] ?? 0) + metrics[metric].of(row);
  }
  return { days, series: order.length > seriesMax ? [...series, rest] : series };
}

export type Series = { name: string; values: number[] };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function timesBetween(from: string, to: string, step: Step): string[] {
  const times: string[] = [];
  const end = Date.parse(to.slice(0, 10)) + DAY_MS;
  for (let at = Date.parse(from.slice(0, 10)); at < end; at += step === 'hour' ? HOUR_MS : DAY_MS) {
    const text = new Date(at).toISOString();
    times.push(step === 'hour' ? `${text.slice(0, 13)}:00:00Z` : text.slice(0, 10));
  }
  return times;
}

/** Every row as CSV, with the names beside the ids. */
export function toCsv({ rows, names }: Usage, by: Breakdown, step: Step): string {
  const quote = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((row) => {
    const id = row[by] ?? '';
    const time = (step === 'hour' ? row.hour : row.day) ?? '';
    const texts = [time, id, names[id] ?? id].map(quote);
    return [...texts, row.requests, row.prompt_tokens, row.completion_tokens, row.cached_tokens, row.cost].join(',');
  });
  const head = [step, by, 'name', 'requests', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost'];
  return [head.join(','), ...lines, ''].join('\n');
}
