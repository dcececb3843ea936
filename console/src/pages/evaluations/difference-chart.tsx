import styles from './evaluations.module.css';
import type { EvaluatorComparison } from './queries.ts';
import { formatChange } from './scores.ts';

/** The difference with its interval, around zero: what touches zero may be chance. */
export function DifferenceChart({ compared: { difference, verdict, evaluator } }: { compared: EvaluatorComparison }) {
  const { value, low, high } = difference;
  const reach = Math.max(Math.abs(value), Math.abs(low ?? 0), Math.abs(high ?? 0), Number.EPSILON) * 1.15;
  const place = (at: number) => `${((at + reach) / (2 * reach)) * 100}%`;
  const text =
    low === null || high === null
      ? `${formatChange(value)}; too few records for an interval`
      : `${formatChange(value)}, between ${formatChange(low)} and ${formatChange(high)}`;
  return (
    <figure className="stack-tight">
      <div
        className={`${styles.interval} ${styles[`interval-${verdict}`] ?? ''}`}
        role="img"
        aria-label={`Difference of ${evaluator}: ${text}`}
      >
        <span className={styles.intervalZero} style={{ left: place(0) }} />
        {low !== null && high !== null && (
          <span
            className={styles.intervalRange}
            style={{ left: place(low), width: `${((high - low) / (2 * reach)) * 100}%` }}
          />
        )}
        <span className={styles.intervalValue} style={{ left: place(value) }} />
      </div>
      <div className={`${styles.intervalEnds} small muted numbers`} aria-hidden="true">
        <span>{formatChange(-reach)}</span>
        <span>0</span>
        <span>{formatChange(reach)}</span>
      </div>
      <figcaption className="small">Difference {text}.</figcaption>
    </figure>
  );
}
