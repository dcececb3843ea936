import type { Metric } from 'prom-client';

const BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

type Series = {
  labels: { method: string; route: string; status: string };
  /** Counts per bucket, not cumulative; the last is above all bounds. */
  counts: number[];
  sum: number;
};

/**
 * A request histogram for prom-client. Its own builds a key from the labels for every observation, which costs more than
 * everything else about a finished request.
 */
export class DurationHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, Map<string, Map<number, Series>>>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  observe(method: string, route: string, status: number, seconds: number): void {
    const series = this.#series.get(route)?.get(method)?.get(status) ?? this.#open(method, route, status);
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  /** The form that prom-client expects. */
  asMetric(): Metric {
    const known = { name: this.#name, help: this.#help, aggregator: 'sum', type: 'histogram' };
    return {
      ...known,
      get: async () => ({ ...known, values: this.#values() }),
      reset: () => this.#series.clear(),
    } as unknown as Metric;
  }

  #open(method: string, route: string, status: number): Series {
    const labels = { method, route, status: String(status) };
    const series = { labels, counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 };
    const byMethod = this.#series.get(route) ?? new Map<string, Map<number, Series>>();
    const byStatus = byMethod.get(method) ?? new Map<number, Series>();
    this.#series.set(route, byMethod.set(method, byStatus.set(status, series)));
    return series;
  }

  #values() {
    const values: { metricName: string; labels: Record<string, string | number>; value: number }[] = [];
    for (const byMethod of this.#series.values())
      for (const byStatus of byMethod.values())
        for (const { labels, counts, sum } of byStatus.values()) {
          let total = 0;
          for (const [bucket, count] of counts.entries()) {
            total += count;
            const le = BOUNDS[bucket] ?? '+Inf';
            values.push({ metricName: `${this.#name}_bucket`, labels: { le, ...labels }, value: total });
          }
          values.push({ metricName: `${this.#name}_sum`, labels, value: sum });
          values.push({ metricName: `${this.#name}_count`, labels, value: total });
        }
    return values;
  }
}
