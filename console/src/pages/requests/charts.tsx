import { useQuery } from '@tanstack/react-query';
import BarChart from '../../ui/bar-chart.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatMoment, formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Table } from '../../ui/table.tsx';
import type { RequestFilters } from './filters.ts';
import { granularityOf, type Series, seriesQuery } from './queries.ts';

type Bucket = { at: string; ok: number; failed: number; p95: number; tokens: number };

/** Requests, failures and latency over the period, with the numbers as a table and as CSV. Loaded when opened. */
export default function Charts({ filters }: { filters: RequestFilters }) {
  const counts = useQuery(seriesQuery(filters, 'span_id', 'count', 'status_code'));
  const latency = useQuery(seriesQuery(filters, 'duration_ns', 'p95'));
  const tokens = useQuery(seriesQuery(filters, 'usage_output_tokens', 'sum'));
  const per = granularityOf(filters);
  return (
    <Loaded query={counts} lines={6}>
      {(counted) => {
        const buckets = toBuckets(counted, latency.data, tokens.data);
        const days = buckets.map(({ at }) => at);
        return (
          <>
            <div className="columns">
              <Card title="Requests">
                <BarChart
                  days={days}
                  per={per}
                  unit="Requests"
                  series={[
                    { name: 'Succeeded', values: buckets.map(({ ok }) => ok) },
                    { name: 'Failed', values: buckets.map(({ failed }) => failed) },
                  ]}
                />
              </Card>
              <Card title="Latency, 95th percentile (ms)">
                <BarChart
                  days={days}
                  per={per}
                  unit="Milliseconds"
                  series={[{ name: 'Milliseconds', values: buckets.map(({ p95 }) => p95) }]}
                />
              </Card>
            </div>
            <Card
              title="Numbers"
              flush
              actions={
                <Button small icon="download" onClick={() => download(buckets)}>
                  CSV
                </Button>
              }
            >
              <Table
                caption={`Requests per ${per}`}
                rows={buckets.toReversed().slice(0, ROWS)}
                rowKey={({ at }) => at}
                columns={[
                  { header: 'From', cell: ({ at }) => formatMoment(at) },
                  { header: 'Requests', kind: 'end', cell: ({ ok, failed }) => formatNumber(ok + failed) },
                  { header: 'Failed', kind: 'end', cell: ({ failed }) => formatNumber(failed) },
                  { header: 'p95 (ms)', kind: 'end', cell: ({ p95 }) => formatNumber(Math.round(p95)) },
                  { header: 'Tokens out', kind: 'end', low: true, cell: (row) => formatNumber(row.tokens) },
                ]}
              />
            </Card>
          </>
        );
      }}
    </Loaded>
  );
}

/** The table shows the newest; the CSV has all. */
const ROWS = 24;
const BUCKETS_MAX = 2000;
const NS_PER_MS = 1_000_000;

/** One for each minute, hour or day of the period, also where nothing was asked. */
function toBuckets(counts: Series, latency: Series | undefined, tokens: Series | undefined): Bucket[] {
  const stepMs = (counts.meta.granularity_seconds ?? 3600) * 1000;
  const first = Math.floor(Date.parse(counts.meta.from_timestamp) / stepMs);
  const last = Math.floor(Date.parse(counts.meta.to_timestamp) / stepMs);
  const buckets = new Map<number, Bucket>();
  for (let no = first; no <= last && buckets.size < BUCKETS_MAX; no += 1)
    buckets.set(no, { at: new Date(no * stepMs).toISOString(), ok: 0, failed: 0, p95: 0, tokens: 0 });
  const at = (time: string | null) => buckets.get(Math.floor(Date.parse(time ?? '') / stepMs));
  for (const { time_bucket, dimensions, metric_value } of counts.data) {
    const bucket = at(time_bucket);
    if (!bucket) continue;
    if (dimensions.status_code === 'Error') bucket.failed += metric_value ?? 0;
    else bucket.ok += metric_value ?? 0;
  }
  for (const { time_bucket, metric_value } of latency?.data ?? []) {
    const bucket = at(time_bucket);
    if (bucket) bucket.p95 = (metric_value ?? 0) / NS_PER_MS;
  }
  for (const { time_bucket, metric_value } of tokens?.data ?? []) {
    const bucket = at(time_bucket);
    if (bucket) bucket.tokens = metric_value ?? 0;
  }
  return [...buckets.values()];
}

function download(buckets: readonly Bucket[]): void {
  const lines = buckets.map(({ at, ok, failed, p95, tokens }) =>
    [at, ok + failed, failed, p95.toFixed(1), tokens].join(','),
  );
  const text = ['from,requests,failed,p95_ms,tokens_out', ...lines, ''].join('\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'requests.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
