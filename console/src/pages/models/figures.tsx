import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../api/api-error.ts';
import figureStyles from '../../ui/figure.module.css';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { figureQuery } from './queries.ts';

const NS_PER_MS = 1e6;
const NS_PER_SECOND = 1e9;

/** What the requests of the last day measured. Hidden from those who may not see requests. */
export function Figures({ model }: { model: string }) {
  const ok = " AND status_code != 'Error'";
  const count = useQuery(figureQuery(model, 'span_id', 'count'));
  const failed = useQuery(figureQuery(model, 'span_id', 'count', " AND status_code = 'Error'"));
  const latency = useQuery(figureQuery(model, 'duration_ns', 'p50', ok));
  const time = useQuery(figureQuery(model, 'duration_ns', 'sum', ok));
  const tokens = useQuery(figureQuery(model, 'usage_output_tokens', 'sum', ok));
  if (count.error instanceof ApiError && count.error.status === 403) return null;
  const perSecond = tokens.data && time.data ? tokens.data / (time.data / NS_PER_SECOND) : undefined;
  const figures: [string, string][] = [
    ['Requests, last 24 hours', show(count.data, formatNumber)],
    ['Failed', show(failed.data, formatNumber)],
    ['Median time', show(latency.data || undefined, (ns) => formatDuration(ns / NS_PER_MS))],
    ['Speed', show(perSecond, (value) => `${formatNumber(Math.round(value * 10) / 10)} tokens/s`)],
  ];
  return (
    <section className="stack-tight" aria-label="Measured">
      <dl className={figureStyles.figures}>
        {figures.map(([name, value]) => (
          <div key={name} className={figureStyles.figure}>
            <dt className="small muted">{name}</dt>
            <dd className={figureStyles.value}>{value}</dd>
          </div>
        ))}
      </dl>
      {(failed.data ?? 0) > 0 && (
        <Link to="/requests" search={{ where: `response_model = '${model.replaceAll("'", "''")}'`, status: 'error' }}>
          Show the failed requests
        </Link>
      )}
    </section>
  );
}

function show(value: number | null | undefined, format: (value: number) => string): string {
  return value === undefined || value === null ? '–' : format(value);
}
