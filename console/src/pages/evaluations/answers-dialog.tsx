import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
import { Loaded } from '../../ui/loaded.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import styles from './evaluations.module.css';
import { type RunRecord, recordQuery } from './queries.ts';
import { contentOf, questionOf } from './record-texts.ts';
import { formatScore } from './scores.ts';

type Shown = { name: string; runId: string; recordId: string };

/** The answers of one run to a record, or those of two runs side by side, with what judges said. */
export function AnswersDialog({ runs, onClose }: { runs: readonly Shown[]; onClose: () => void }) {
  const [first] = runs;
  const query = useQuery({ ...recordQuery(first?.runId ?? '', first?.recordId ?? ''), enabled: first !== undefined });
  return (
    <Dialog title="Record" wide onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <div className="stack">
        <Loaded query={query}>{(record) => <p className={styles.answerText}>{questionOf(record)}</p>}</Loaded>
        <div className={styles.answers}>
          {runs.map((run) => (
            <AnswersOf key={run.runId} {...run} />
          ))}
        </div>
      </div>
    </Dialog>
  );
}

function AnswersOf({ name, runId, recordId }: Shown) {
  const query = useQuery(recordQuery(runId, recordId));
  return (
    <section className="stack" aria-label={name}>
      <h3 className="breakable">{name}</h3>
      <Loaded query={query}>
        {({ output_record }) => (
          <>
            {(output_record?.generations ?? []).map((generation) => (
              <Generation key={generation.id} generation={generation} />
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

type GenerationOf = NonNullable<RunRecord['output_record']>['generations'][number];

function Generation({ generation: { output, error, scores } }: { generation: GenerationOf }) {
  return (
    <div className="stack-tight">
      {error ? (
        <p className={fieldStyles.error}>{error}</p>
      ) : (
        <Markdown text={contentOf(output as { content?: unknown })} />
      )}
      {Object.entries(scores).flatMap(([evaluator, given]) =>
        given.map(({ id, value, rationale, error: failed }) => (
          <div key={id}>
            <div className="row">
              <span className="muted">{evaluator}</span>
              {failed ? (
                <Badge tone="danger">No score</Badge>
              ) : (
                <Badge tone="accent">{typeof value === 'number' ? formatScore(value) : value}</Badge>
              )}
            </div>
            {(failed ?? rationale) && <p className={`small muted ${styles.answerText}`}>{failed ?? rationale}</p>}
          </div>
        )),
      )}
    </div>
  );
}
