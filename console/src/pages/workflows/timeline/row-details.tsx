import { Link } from '@tanstack/react-router';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatMoment } from '../../../ui/format.ts';
import noticeStyles from '../../../ui/notice.module.css';
import { foldProgress } from './fold-progress.ts';
import type { TimelineEvent } from './read-messages.ts';
import { kinds, states } from './row-labels.ts';
import { durationMs, type Row } from './rows.ts';
import { formatDuration } from './time-scale.ts';
import styles from './timeline.module.css';

type Props = {
  row: Row;
  events: readonly TimelineEvent[];
  executionId: string;
  nowMs: number;
  onClose: () => void;
};

export function RowDetails({ row, events, executionId, nowMs, onClose }: Props) {
  const own = row.events.map((at) => events[at] as TimelineEvent);
  const { input, output } = valuesOf(row, own);
  const isChild = row.kind === 'execution' && row.executionId !== executionId;
  return (
    <section className={styles.rowDetails} aria-label={`${kinds[row.kind].label} ${row.label}`}>
      <div className={styles.rowDetailsHead}>
        <div className="grow">
          <div className="small muted">{kinds[row.kind].label}</div>
          <h2 className="breakable">{row.label}</h2>
        </div>
        <Button look="quiet" small icon="close" iconOnly onClick={onClose}>
          Close details
        </Button>
      </div>
      <div className="stack">
        <Facts
          facts={[
            [
              'State',
              <Badge key="state" dot tone={states[row.state].tone}>
                {row.kind === 'input' && row.endMs === undefined ? 'Waiting for input' : states[row.state].label}
              </Badge>,
            ],
            [
              'Started',
              <span key="began" className="numbers">
                {formatMoment(row.startMs)}
              </span>,
            ],
            [
              'Duration',
              <span key="took" className="numbers">
                {formatDuration(durationMs(row, nowMs))}
              </span>,
            ],
            ...(row.dueMs !== undefined ? [['Until', formatMoment(row.dueMs)] as const] : []),
            ...(row.kind === 'execution' ? [['Run', <code key="run">{row.runId}</code>] as const] : []),
          ]}
        />
        {isChild && (
          <Link to="/workflows/executions/$executionId" params={{ executionId: row.executionId }}>
            Open this execution
          </Link>
        )}
        {row.message && <p className={`${noticeStyles.notice} ${noticeStyles.danger}`}>{row.message}</p>}
        {row.failures.length > 0 && (
          <div className="stack-tight">
            <h3>Failed attempts</h3>
            <ol className={styles.attempts}>
              {row.failures.map(({ attempt, atMs, message }) => (
                <li key={`${attempt} ${atMs}`}>
                  <span className="muted numbers">
                    {attempt} · after {formatDuration(atMs - row.startMs)}
                  </span>
                  <span className="breakable">{message}</span>
                </li>
              ))}
            </ol>
          </div>
        )}
        {input !== undefined && (
          <CodeBlock title={row.kind === 'input' ? 'Request' : 'Input'} code={show(input)} wrap />
        )}
        {output !== undefined && (
          <CodeBlock
            title={row.kind === 'input' ? 'Response' : row.kind === 'task' ? 'State' : 'Result'}
            code={show(output)}
            wrap
          />
        )}
      </div>
    </section>
  );
}

function valuesOf(row: Row, events: readonly TimelineEvent[]): { input: unknown; output: unknown } {
  if (row.kind === 'task') return { input: undefined, output: foldProgress(events) };
  let input: unknown;
  let output: unknown;
  for (const { attributes, event_type } of events) {
    if ('input' in attributes && event_type !== 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW')
      input = only(attributes.input.value);
    if ('result' in attributes) output = attributes.result.value;
    if ('payload' in attributes && event_type === 'CUSTOM_TASK_STARTED') input = attributes.payload?.value;
    if ('payload' in attributes && event_type === 'CUSTOM_TASK_COMPLETED') output = attributes.payload?.value;
  }
  return { input, output };
}

/** Unwraps a single argument. */
function only(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
