import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { boxScroller } from '../../../ui/scroller.ts';
import { Segments } from '../../../ui/segments.tsx';
import { useVirtualRows } from '../../../ui/use-virtual-rows.ts';
import virtualListStyles from '../../../ui/virtual-list.module.css';
import type { Timeline } from './create-timeline.ts';
import { isTroubled, type Row } from './rows.ts';
import { type TimeSpan, ticksOf } from './time-scale.ts';
import styles from './timeline.module.css';
import { TimelineRow } from './timeline-row.tsx';
import { useNarrow } from './use-narrow.ts';

const filters = [
  { value: 'all', label: 'All' },
  { value: 'steps', label: 'Steps' },
  { value: 'waits', label: 'Waits and signals' },
  { value: 'trouble', label: 'Errors' },
] as const;
type Filter = (typeof filters)[number]['value'];

const scales = [
  { value: 'whole', label: 'Full duration' },
  { value: 'seen', label: 'Visible rows' },
] as const;

const passes: Record<Filter, (row: Row) => boolean> = {
  all: () => true,
  steps: ({ kind }) => kind === 'step' || kind === 'execution',
  waits: ({ kind }) => ['timer', 'input', 'signal', 'update'].includes(kind),
  trouble: isTroubled,
};

const ROW_PX = 30;
/** On narrow screens the bar is below the name. */
const ROW_NARROW_PX = 46;
const ROWS_SHOWN_MAX = 18;

type Props = {
  timeline: Timeline;
  version: number;
  nowMs: number;
  selected: string | undefined;
  onSelect: (row: Row) => void;
  onFold: (row: Row) => void;
};

/** A virtual list of the rows of an execution on a time axis. */
export function TimelineView({ timeline, version, nowMs, selected, onSelect, onFold }: Props) {
  const [filter, setFilter] = useState<Filter>('all');
  const [scale, setScale] = useState<'whole' | 'seen'>('whole');
  const box = useRef<HTMLDivElement>(null);
  const rowPx = useNarrow() ? ROW_NARROW_PX : ROW_PX;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the rows.
  const rows = useMemo(
    () => (filter === 'all' ? timeline.rows().slice() : timeline.rows().filter(passes[filter])),
    [timeline, version, filter],
  );
  const keyOf = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const scroller = useMemo(() => boxScroller(box), []);
  const virtual = useVirtualRows({ count: rows.length, keyOf, estimate: rowPx, overscan: 8, scroller });
  const { rows: items, scrollTo } = virtual;
  const whole = spanOf(timeline, nowMs);
  const seen = scale === 'seen' ? seenSpan(rows.slice(virtual.first, virtual.last + 1), nowMs) : undefined;
  const span = seen ?? whole;

  const focusRow = useCallback(
    (at: number) => {
      const row = rows[at];
      if (!row) return;
      onSelect(row);
      scrollTo(at);
      // A row out of view must be rendered before it can take the focus.
      requestAnimationFrame(() =>
        box.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.key)}"]`)?.focus({ preventScroll: true }),
      );
    },
    [rows, onSelect, scrollTo],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const at = rows.findIndex(({ key }) => key === selected);
    const page = Math.max(1, items.length - 10);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: Math.max(0, at - 1),
      PageDown: Math.min(rows.length - 1, at + page),
      PageUp: Math.max(0, at - page),
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    focusRow(Math.min(to, rows.length - 1));
  };
  const focusable = rows.some(({ key }) => key === selected) ? selected : rows[0]?.key;
  return (
    <div className={styles.timeline}>
      <div className={styles.tools}>
        <div className="row">
          <Segments label="Filter rows" options={filters} value={filter} onChange={setFilter} />
          <span className="small muted numbers" aria-live="polite">
            {formatNumber(rows.length)} {rows.length === 1 ? 'row' : 'rows'} · {formatNumber(timeline.events.length)}{' '}
            events
          </span>
        </div>
        <div className="row">
          <span className="small muted" aria-hidden="true">
            Scale
          </span>
          <Segments label="Scale" options={scales} value={scale} onChange={setScale} />
        </div>
      </div>
      {span && <Axis span={span} zeroMs={whole?.fromMs ?? span.fromMs} />}
      {rows.length === 0 ? (
        <EmptyState icon="check" title={filter === 'trouble' ? 'No errors' : 'No matching rows'}>
          {filter === 'trouble' ? 'No step failed or was retried.' : 'This execution has no such rows yet.'}
        </EmptyState>
      ) : (
        <div ref={box} className={styles.rows} style={{ height: Math.min(rows.length, ROWS_SHOWN_MAX) * rowPx + 8 }}>
          <ul
            aria-label="Timeline"
            className={virtualListStyles.inner}
            style={{ height: virtual.total }}
            onKeyDown={onKeyDown}
          >
            {span &&
              items.map((item) => {
                const row = rows[item.index] as Row;
                return (
                  <li
                    key={item.key}
                    className={virtualListStyles.item}
                    aria-setsize={rows.length}
                    aria-posinset={item.index + 1}
                    style={{ height: item.height, transform: `translateY(${item.start}px)` }}
                  >
                    <TimelineRow
                      row={row}
                      mark={`${row.state} ${row.events.length} ${row.endMs} ${row.dueMs} ${row.label}`}
                      span={span}
                      nowMs={row.endMs ?? nowMs}
                      isSelected={row.key === selected}
                      isFocusable={row.key === focusable}
                      fold={foldOf(timeline, row, filter)}
                      onSelect={onSelect}
                      onFold={onFold}
                    />
                  </li>
                );
              })}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Marks near the end get no label, which would be cut off. */
const LABELLED = 0.94;

function Axis({ span, zeroMs }: { span: TimeSpan; zeroMs: number }) {
  const length = span.toMs - span.fromMs;
  return (
    <div className={styles.axis} aria-hidden="true">
      <div className={styles.axisTrack}>
        {ticksOf(span, zeroMs, 7)
          .filter(({ atMs }) => atMs - span.fromMs < length * LABELLED)
          .map(({ atMs, label }) => (
            <span key={label} className={styles.axisTick} style={{ left: `${((atMs - span.fromMs) / length) * 100}%` }}>
              {label}
            </span>
          ))}
      </div>
    </div>
  );
}

function foldOf(timeline: Timeline, row: Row, filter: Filter): 'none' | 'open' | 'closed' {
  if (row.kind !== 'execution' || filter !== 'all' || !timeline.hasItems(row.key)) return 'none';
  return timeline.isCollapsed(row.key) ? 'closed' : 'open';
}

/** The full span, with some room after active rows. */
function spanOf(timeline: Timeline, nowMs: number): TimeSpan | undefined {
  const bounds = timeline.bounds();
  if (!bounds) return undefined;
  const toMs = timeline.isOpen() ? Math.max(nowMs, bounds.toMs) : bounds.toMs;
  return { fromMs: bounds.fromMs, toMs: Math.max(toMs, bounds.fromMs + 1) };
}

function seenSpan(inView: readonly Row[], nowMs: number): TimeSpan | undefined {
  // Runs span all of their items and would widen the scale to the full duration.
  const seen = inView.filter(({ kind }) => kind !== 'execution');
  if (seen.length === 0) return undefined;
  const fromMs = Math.min(...seen.map(({ startMs }) => startMs));
  const toMs = Math.max(...seen.map(({ endMs }) => endMs ?? nowMs));
  return { fromMs, toMs: Math.max(toMs, fromMs + 1) };
}
