import { formatNumber } from '../../ui/format.ts';
import styles from './evaluations.module.css';
import type { Run } from './queries.ts';
import { formatScore, labelsOf, type Statistics, scoresOf } from './scores.ts';

/** The newest runs of one evaluation side by side, a block for each evaluator. */
export function ScoresByRun({ runs }: { runs: readonly Run[] }) {
  const evaluators = [...new Set(runs.flatMap((run) => scoresOf(run).map(({ evaluator }) => evaluator)))];
  return (
    <div className={styles.scoreBlocks}>
      {evaluators.map((evaluator) => (
        <figure key={evaluator} className="stack-tight">
          <figcaption>
            <strong>{evaluator}</strong>
          </figcaption>
          <ul className={styles.scoreBars} aria-label={`${evaluator} by run`}>
            {runs.map((run) => {
              const score = scoresOf(run).find((one) => one.evaluator === evaluator);
              return score && <Bar key={run.id} name={run.name} text={score.text} share={score.share} />;
            })}
          </ul>
        </figure>
      ))}
    </div>
  );
}

/** How the scores of a run are spread. */
export function ScoresOf({ run }: { run: Run }) {
  return (
    <div className={styles.scoreBlocks}>
      {run.evaluators.map(({ name, min_value, max_value }) => {
        const known = run.statistics[name];
        return (
          <figure key={name} className="stack-tight">
            <figcaption>
              <strong>{name}</strong> <span className="muted small">{describe(known)}</span>
            </figcaption>
            {known && known.count > 0 && (
              <ul className={styles.scoreBars} aria-label={`Scores of ${name}`}>
                <Spread statistics={known} low={min_value ?? 0} high={max_value ?? 1} />
              </ul>
            )}
          </figure>
        );
      })}
    </div>
  );
}

function Spread({ statistics, low, high }: { statistics: Statistics; low: number; high: number }) {
  if (statistics.type === 'categorical')
    return labelsOf(statistics).map((label) => {
      const times = statistics.frequencies[label] ?? 0;
      return <Bar key={label} name={label} text={formatNumber(times)} share={times / statistics.count} />;
    });
  const shareOf = (value: number) => (high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0);
  return (['avg', 'min', 'max'] as const).map((measure) => {
    const value = statistics[measure] ?? low;
    return <Bar key={measure} name={MEASURES[measure]} text={formatScore(value)} share={shareOf(value)} />;
  });
}

const MEASURES = { avg: 'Mean', min: 'Least', max: 'Most' } as const;

function Bar({ name, text, share }: { name: string; text: string; share: number }) {
  return (
    <li className={styles.scoreBar}>
      <span className="clip">{name}</span>
      <span className={styles.scoreTrack} aria-hidden="true">
        <span className={styles.scoreFill} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="numbers">{text}</span>
    </li>
  );
}

function describe(known: Statistics | undefined): string {
  if (!known || known.count === 0) return 'no score yet';
  const deviation = known.type === 'numeric' && known.std !== null ? `, deviation ${formatScore(known.std)}` : '';
  return `${formatNumber(known.count)} scores${deviation}`;
}
