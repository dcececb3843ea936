import { Badge, type Tone } from '../../ui/badge.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Progress } from '../../ui/progress.tsx';
import { infoOf, isActive, type Run } from './queries.ts';

const STATES: Readonly<Record<string, { label: string; tone: Tone }>> = {
  queued: { label: 'Waiting', tone: 'neutral' },
  running: { label: 'Running', tone: 'accent' },
  stopping: { label: 'Stopping', tone: 'warning' },
  stopped: { label: 'Stopped', tone: 'warning' },
  completed: { label: 'Completed', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
};

export function RunStatus({ run }: { run: Pick<Run, 'status' | 'passed'> }) {
  const { label, tone } = STATES[run.status] ?? { label: run.status, tone: 'neutral' };
  return (
    <span className="row">
      <Badge tone={tone} dot>
        {label}
      </Badge>
      {run.passed !== null && (
        <Badge tone={run.passed ? 'success' : 'danger'}>{run.passed ? 'Goals reached' : 'Goals missed'}</Badge>
      )}
    </span>
  );
}

export function RunProgress({ run }: { run: Pick<Run, 'status' | 'run_info'> }) {
  const { total, completed, failed } = infoOf(run).progress;
  if (!isActive(run)) return null;
  const done = completed + failed;
  const note = `${formatNumber(done)} of ${formatNumber(total)}${failed > 0 ? `, ${formatNumber(failed)} failed` : ''}`;
  return <Progress label="Records" value={total === 0 ? undefined : done / total} note={total === 0 ? '' : note} />;
}
