import { Link } from '@tanstack/react-router';
import { durationOf } from './measures.ts';
import type { Span } from './queries.ts';
import styles from './requests.module.css';

type Bar = { span: Span; depth: number; left: number; width: number };

/** The spans of a trace over time, children below their parents. */
export function Waterfall({ spans, current }: { spans: readonly Span[]; current: string }) {
  return (
    <ol aria-label="Timing">
      {layOut(spans).map(({ span, depth, left, width }) => (
        <li key={span.span_id}>
          <Link
            to="/requests/$traceId/$spanId"
            params={{ traceId: span.trace_id, spanId: span.span_id }}
            className={styles.waterfallRow}
            {...(span.span_id === current ? { 'aria-current': 'true' as const } : {})}
          >
            <span className="clip" style={{ paddingLeft: `${Math.min(depth, 8) * 14}px` }}>
              {span.span_name}
            </span>
            <span className={styles.waterfallTrack} aria-hidden="true">
              <span
                className={`${styles.waterfallBar} ${span.status_code === 'Error' ? styles.waterfallError : ''}`}
                style={{ left: `${left * 100}%`, width: `max(2px, ${width * 100}%)` }}
              />
            </span>
            <span className="small muted numbers">{durationOf(span)}</span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

export function layOut(spans: readonly Span[]): Bar[] {
  const start = Math.min(...spans.map((span) => Date.parse(span.start_time)));
  const end = Math.max(...spans.map((span) => Date.parse(span.start_time) + span.duration_ns / 1e6));
  const whole = Math.max(1, end - start);
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const children = new Map<string, Span[]>();
  for (const span of spans) {
    // A parent that is in another system is not here.
    const parent = ids.has(span.parent_span_id) && span.parent_span_id !== span.span_id ? span.parent_span_id : '';
    children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const bars: Bar[] = [];
  const seen = new Set<string>();
  const add = (parent: string, depth: number) => {
    for (const span of children.get(parent) ?? []) {
      if (seen.has(span.span_id)) continue;
      seen.add(span.span_id);
      const left = (Date.parse(span.start_time) - start) / whole;
      bars.push({ span, depth, left, width: span.duration_ns / 1e6 / whole });
      add(span.span_id, depth + 1);
    }
  };
  add('', 0);
  return bars;
}
