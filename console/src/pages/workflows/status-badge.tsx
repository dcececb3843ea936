import { Badge } from '../../ui/badge.tsx';
import { type ExecutionStatus, statuses } from './statuses.ts';

export function StatusBadge({ status }: { status: ExecutionStatus | null }) {
  const { label, tone } = status ? statuses[status] : { label: 'Unknown', tone: 'neutral' as const };
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}
