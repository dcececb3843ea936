import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import figureStyles from '../../ui/figure.module.css';
import { formatNumber, formatShort } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Table } from '../../ui/table.tsx';
import { Frame } from './frame.tsx';
import {
  type Breakdown,
  type Metric,
  metrics,
  type Step,
  sumBy,
  toCsv,
  toSeries,
  totalTokens,
  type Usage,
} from './usage-series.ts';

const BarChart = lazy(() => import('../../ui/bar-chart.tsx'));

const periods = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const;
const breakdowns: { value: Breakdown; label: string }[] = [
  { value: 'model', label: 'Model' },
  { value: 'key_id', label: 'Key' },
  { value: 'user_id', label: 'User' },
  { value: 'workspace_id', label: 'Workspace' },
];

export function UsagePage() {
  return (
    <Frame
      title="Usage"
      lead="Requests, tokens and cost per hour or day. Administrators see the organization, members their workspace."
    >
      {() => <UsageOf />}
    </Frame>
  );
}

function UsageOf() {
  const [days, setDays] = useState<(typeof periods)[number]['value']>('30');
  const [by, setBy] = useState<Breakdown>('model');
  const [metric, setMetric] = useState<Metric>('tokens');
  // A week has few enough hours to show.
  const step: Step = Number(days) <= 7 ? 'hour' : 'day';
  const [from, to] = [dayBefore(Number(days) - 1), dayBefore(0)];
  const query = useQuery({
    queryKey: ['organization', 'usage', from, to, by, step],
    queryFn: () => api.get<Usage>('/console/api/usage', { query: { from, to, by: `${step},${by}` } }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className="row row-between">
        <div className="row">
          <Segments label="Period" options={periods} value={days} onChange={setDays} />
          <Segments label="Group by" options={breakdowns} value={by} onChange={setBy} />
        </div>
        <SelectField
          hideLabel
          label="Metric"
          options={Object.entries(metrics).map(([value, { label }]) => ({ value: value as Metric, label }))}
          value={metric}
          onChange={setMetric}
        />
      </div>
      <Loaded query={query} lines={8}>
        {(usage) => <Report usage={usage} by={by} metric={metric} step={step} />}
      </Loaded>
    </>
  );
}

function Report({ usage, by, metric, step }: { usage: Usage; by: Breakdown; metric: Metric; step: Step }) {
  const { total, currency } = usage;
  const rows = sumBy(usage, by);
  const money = (value: number) => `${value.toFixed(value !== 0 && value < 1 ? 4 : 2)} ${currency ?? ''}`.trim();
  return (
    <>
      <dl className={figureStyles.figures}>
        <Figure name="Requests" value={formatShort(total.requests)} exact={formatNumber(total.requests)} />
        <Figure name="Tokens in" value={formatShort(total.prompt_tokens)} exact={formatNumber(total.prompt_tokens)} />
        <Figure
          name="Tokens out"
          value={formatShort(total.completion_tokens)}
          exact={formatNumber(total.completion_tokens)}
        />
        <Figure name="Cost" value={money(total.cost)} exact={money(total.cost)} />
      </dl>
      {rows.length === 0 ? (
        <Card>
          <EmptyState icon="chart" title="No usage in this period">
            Model requests appear here shortly after they complete. Try one in the playground.
          </EmptyState>
        </Card>
      ) : (
        <>
          <Card title={`${metrics[metric].label} per ${step}`}>
            <Suspense fallback={<Skeleton lines={6} label="Loading chart" />}>
              <BarChart {...toSeries(usage, by, metric, step)} unit={metrics[metric].label} per={step} />
            </Suspense>
          </Card>
          <Card
            flush
            title={`By ${breakdowns.find(({ value }) => value === by)?.label.toLowerCase()}`}
            actions={
              <Button small icon="download" onClick={() => saveFile(`usage-${usage.from}.csv`, csvOf(usage, by, step))}>
                CSV
              </Button>
            }
          >
            <Table
              caption="Usage"
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                { header: 'Name', cell: ({ name }) => <span className="breakable">{name}</span> },
                { header: 'Requests', kind: 'end', cell: (row) => formatNumber(row.requests) },
                { header: 'Tokens in', kind: 'end', low: true, cell: (row) => formatNumber(row.prompt_tokens) },
                { header: 'Tokens out', kind: 'end', low: true, cell: (row) => formatNumber(row.completion_tokens) },
                { header: 'Tokens', kind: 'end', cell: (row) => formatNumber(totalTokens(row)) },
                { header: 'Cost', kind: 'end', cell: (row) => money(row.cost) },
              ]}
            />
          </Card>
        </>
      )}
    </>
  );
}

function Figure({ name, value, exact }: { name: string; value: string; exact: string }) {
  return (
    <div className={figureStyles.figure}>
      <dt className="small muted">{name}</dt>
      <dd className={figureStyles.value} title={exact}>
        {value}
      </dd>
    </div>
  );
}

function csvOf(usage: Usage, by: Breakdown, step: Step): Blob {
  return new Blob([toCsv(usage, by, step)], { type: 'text/csv' });
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
