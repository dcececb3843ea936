import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useMemo, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import cardStyles from '../../ui/card.module.css';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { ContentsDialog } from './contents-dialog.tsx';
import type { RequestFilters } from './filters.ts';
import { PERIODS, periodOf } from './filters.ts';
import { costOf, durationOf, statusOf } from './measures.ts';
import { newestQuery, optionsQuery, type Span, spansQuery } from './queries.ts';
import styles from './requests.module.css';

const Charts = lazy(() => import('./charts.tsx'));
const route = getRouteApi('/shell/requests');

export function RequestsPage() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const [isChart, setChart] = useState(false);
  const [isContents, setContents] = useState(false);
  const set = (part: RequestFilters) => {
    const next = { ...filters, ...part };
    const kept = Object.entries(next).filter(([, value]) => value !== undefined && value !== '' && value !== false);
    void navigate({ search: Object.fromEntries(kept) as RequestFilters, replace: true });
  };
  return (
    <Page
      wide
      title="Requests"
      lead="What models were asked in this workspace, by whom, how long it took and what it cost."
      actions={
        <>
          <Button icon="chart" aria-pressed={isChart} onClick={() => setChart(!isChart)}>
            {isChart ? 'Hide charts' : 'Charts'}
          </Button>
          <Button onClick={() => setContents(true)}>Keep messages</Button>
          <Button
            icon={filters.live ? 'stop' : 'play'}
            look={filters.live ? 'primary' : 'default'}
            aria-pressed={filters.live === true}
            onClick={() => set({ live: !filters.live })}
          >
            Live
          </Button>
        </>
      }
    >
      <Filters filters={filters} onChange={set} />
      {isChart && (
        <Suspense fallback={<Skeleton lines={6} label="Loading charts" />}>
          <Charts filters={filters} />
        </Suspense>
      )}
      <Found filters={filters} />
      {isContents && <ContentsDialog onClose={() => setContents(false)} />}
    </Page>
  );
}

function Filters({ filters, onChange }: { filters: RequestFilters; onChange: (part: RequestFilters) => void }) {
  const models = useQuery(optionsQuery('request_model', filters)).data ?? [];
  const operations = useQuery(optionsQuery('operation_name', filters)).data ?? [];
  const [where, setWhere] = useState(filters.where ?? '');
  const [slow, setSlow] = useState(filters.slow ?? '');
  const choices = (all: string, values: readonly string[], chosen: string | undefined) => [
    { value: '', label: all },
    ...[...new Set([...values.filter(Boolean), ...(chosen ? [chosen] : [])])].map((value) => ({ value, label: value })),
  ];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ where, slow });
  };
  return (
    <form className={styles.filters} onSubmit={submit}>
      <SelectField
        label="Period"
        value={periodOf(filters).value as string}
        options={PERIODS}
        onChange={(period) => onChange({ period })}
      />
      <SelectField
        label="Status"
        value={filters.status ?? ''}
        options={[
          { value: '', label: 'Any' },
          { value: 'ok', label: 'Succeeded' },
          { value: 'error', label: 'Failed' },
        ]}
        onChange={(status) => onChange({ status })}
      />
      <SelectField
        label="Kind"
        value={filters.operation ?? ''}
        options={choices('All', operations, filters.operation)}
        onChange={(operation) => onChange({ operation })}
      />
      <SelectField
        label="Model"
        value={filters.model ?? ''}
        options={choices('All', models, filters.model)}
        onChange={(model) => onChange({ model })}
      />
      <TextField
        label="Slower than (s)"
        inputMode="decimal"
        value={slow}
        onChange={(event) => setSlow(event.target.value)}
        onBlur={() => slow !== (filters.slow ?? '') && onChange({ slow })}
      />
      <TextField
        label="Expression"
        placeholder="usage_input_tokens > 1000 OR key_id EXISTS"
        value={where}
        onChange={(event) => setWhere(event.target.value)}
      />
      <Button type="submit">Apply</Button>
    </form>
  );
}

function Found({ filters }: { filters: RequestFilters }) {
  const query = useInfiniteQuery(spansQuery(filters));
  const newest = useQuery(newestQuery(filters));
  const spans = useMemo(() => {
    const older = query.data?.pages.flatMap(({ spans: { results } }) => results) ?? [];
    const known = new Set(older.map(({ span_id }) => span_id));
    const fresh = newest.data?.spans.results.filter(({ span_id }) => !known.has(span_id)) ?? [];
    return [...fresh, ...older];
  }, [query.data, newest.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Card flush>
      {query.isPending ? (
        <div className={cardStyles.body}>
          <Skeleton lines={8} />
        </div>
      ) : spans.length === 0 ? (
        <EmptyState icon="pulse" title="No request matches">
          Requests appear here shortly after they end. Widen the filters, or try a model in the playground.
        </EmptyState>
      ) : (
        <>
          <div className={`${styles.row} ${styles.head} small muted`} aria-hidden="true">
            <span>Request</span>
            <span>Status</span>
            <span>Tokens</span>
            <span>Cost</span>
            <span>Took</span>
            <span>When</span>
          </div>
          <VirtualList
            label="Requests"
            items={spans}
            itemKey={({ span_id }) => span_id}
            estimate={53}
            height="calc(100dvh - 320px)"
            render={(span) => <Row span={span} />}
            onEnd={() => {
              if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
            }}
          />
          <p className={`${cardStyles.foot} small muted`} aria-live="polite">
            {formatNumber(spans.length)} shown{hasNextPage ? '; scroll for more' : ''}
          </p>
        </>
      )}
    </Card>
  );
}

function Row({ span }: { span: Span }) {
  const isError = span.status_code === 'Error';
  return (
    <Link
      to="/requests/$traceId/$spanId"
      params={{ traceId: span.trace_id, spanId: span.span_id }}
      className={styles.row}
    >
      <span className={styles.name}>
        <strong className="clip">{span.request_model || span.tool_name || span.span_name}</strong>
        <span className="small muted clip">
          {[span.operation_name || span.span_name, span.agent_name, span.workflow_name].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span>
        <Badge tone={isError ? 'danger' : 'success'} dot>
          {statusOf(span)}
        </Badge>
        {isError && <span className="small muted clip">{span.error_type}</span>}
      </span>
      <span className="numbers">
        <span className="visually-hidden">Tokens </span>
        {formatNumber(span.usage_input_tokens)} → {formatNumber(span.usage_output_tokens)}
      </span>
      <span className={`numbers ${styles.cost}`}>{costOf(span) ?? '–'}</span>
      <span className="numbers">{durationOf(span)}</span>
      <span className="small muted">
        <Time value={span.start_time} />
      </span>
    </Link>
  );
}
