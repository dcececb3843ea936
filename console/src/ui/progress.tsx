import { useId } from 'react';
import styles from './progress.module.css';

/** Indeterminate without a value. */
export function Progress({
  label,
  value,
  note,
}: {
  label: string;
  value?: number | undefined;
  note?: string | undefined;
}) {
  const id = useId();
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div className={`${styles.progress} ${percent === undefined ? styles.unknown : ''}`}>
      <div className="row row-between small">
        <span id={id}>{label}</span>
        <span className="muted numbers">{note ?? (percent === undefined ? '' : `${percent}%`)}</span>
      </div>
      <div
        className={styles.track}
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={note}
      >
        <div className={styles.fill} style={percent === undefined ? {} : { width: `${percent}%` }} />
      </div>
    </div>
  );
}
