import { Badge, type Tone } from '../../ui/badge.tsx';
import type { BatchJob } from './queries.ts';

const statuses: Record<BatchJob['status'], { label: string; tone: Tone }> = {
  QUEUED: { label: 'Queued', tone: 'neutral' },
  RUNNING: { label: 'Running', tone: 'accent' },
  SUCCESS: { label: 'Done', tone: 'success' },
  FAILED: { label: 'Failed', tone: 'danger' },
  TIMEOUT_EXCEEDED: { label: 'Out of time', tone: 'danger' },
  CANCELLATION_REQUESTED: { label: 'Being cancelled', tone: 'warning' },
  CANCELLED: { label: 'Cancelled', tone: 'neutral' },
};

export function JobStatus({ status }: Pick<BatchJob, 'status'>) {
  const { label, tone } = statuses[status];
  return (
    <Badge dot tone={tone}>
      {label}
    </Badge>
  );
}
