import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import styles from './evaluations.module.css';
import type { EvaluatorComparison } from './queries.ts';
import { formatScore } from './scores.ts';

type Props = {
  title: string;
  /** What they are scored by, which tells the lists of a page apart. */
  of: string;
  records: EvaluatorComparison['records_better'];
  total: number;
  onOpen: (recordId: string, baselineId: string) => void;
};

/** Those that changed most, first. */
export function ChangedRecords({ title, of, records, total, onOpen }: Props) {
  return (
    <section className="stack-tight" aria-label={`${title}: ${of}`}>
      <h3>{title}</h3>
      {records.length === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <ol className={styles.plain}>
          {records.map(({ record_id, baseline_record_id, value, baseline_value }, at) => (
            <li key={record_id} className="row row-between">
              <span className="numbers">
                {formatScore(baseline_value)} → {formatScore(value)}
              </span>
              <Button small look="quiet" onClick={() => onOpen(record_id, baseline_record_id)}>
                {`Show record ${at + 1}`}
              </Button>
            </li>
          ))}
        </ol>
      )}
      {total > records.length && (
        <p className="small muted">
          {formatNumber(records.length)} of {formatNumber(total)}, the largest changes first.
        </p>
      )}
    </section>
  );
}
