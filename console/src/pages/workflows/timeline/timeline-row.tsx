import { memo } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { describeRow, kinds } from './row-labels.ts';
import { durationMs, type Row } from './rows.ts';
import { formatDuration, positionOf, type TimeSpan } from './time-scale.ts';
import styles from './timeline.module.css';

type Props = {
  row: Row;
  /** Changes with the row, which stays the same object. */
  mark: string;
  span: TimeSpan;
  nowMs: number;
  isSelected: boolean;
  isFocusable: boolean;
  fold: 'none' | 'open' | 'closed';
  onSelect: (row: Row) => void;
  onFold: (row: Row) => void;
};

const DEPTH_SHOWN_MAX = 8;

/** Name, bar with a tick for each failed attempt, and duration. */
export const TimelineRow = memo(function TimelineRow({
  row,
  span,
  nowMs,
  isSelected,
  isFocusable,
  fold,
  onSelect,
  onFold,
}: Props) {
  const endMs = row.endMs ?? nowMs;
  const bar = positionOf(span, row.startMs, endMs);
  const due = row.endMs === undefined && row.dueMs !== undefined ? positionOf(span, endMs, row.dueMs) : undefined;
  const looks = [row.kind, row.state, ...(row.endMs === undefined ? ['open'] : [])];
  const classes = [styles.bar, ...looks.map((look) => styles[`bar-${look}`])].filter(Boolean).join(' ');
  return (
    <div className={`${styles.row} ${isSelected ? styles.rowSelected : ''}`}>
      <div className={styles.label} style={{ paddingLeft: 14 * Math.min(row.depth, DEPTH_SHOWN_MAX) }}>
        {fold === 'none' ? (
          <span className={styles.fold} />
        ) : (
          <button
            type="button"
            className={styles.fold}
            tabIndex={-1}
            aria-label={fold === 'open' ? `Collapse ${row.label}` : `Expand ${row.label}`}
            aria-expanded={fold === 'open'}
            onClick={() => onFold(row)}
          >
            <Icon name={fold === 'open' ? 'down' : 'right'} size={13} />
          </button>
        )}
        <button
          type="button"
          className={styles.name}
          data-row={row.key}
          tabIndex={isFocusable ? 0 : -1}
          aria-pressed={isSelected}
          aria-label={describeRow(row, nowMs)}
          title={row.label}
          onClick={() => onSelect(row)}
        >
          {row.kind !== 'step' && <Icon name={kinds[row.kind].icon} size={14} />}
          <span className="clip">{row.label}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the name is the button; the bar extends its click area. */}
      <div className={styles.track} onClick={() => onSelect(row)}>
        {bar && <span className={classes} style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />}
        {due && (
          <span
            className={`${styles.bar} ${styles['bar-due']}`}
            style={{ left: `${due.left}%`, width: `${due.width}%` }}
          />
        )}
        {row.failures.map(({ attempt, atMs }) => {
          const at = positionOf(span, atMs, atMs);
          return at && <span key={attempt} className={styles.barTick} style={{ left: `${at.left}%` }} />;
        })}
      </div>
      <div className={`${styles.took} numbers`}>
        {row.failures.length > 0 && <span className={styles.failures}>{row.failures.length}×</span>}
        {formatDuration(durationMs(row, nowMs))}
      </div>
    </div>
  );
});
