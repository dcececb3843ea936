import type { WorkflowExecutionResponse } from '../../../../src/workflows/schema/executions.ts';
import type { Tone } from '../../ui/badge.tsx';

export type ExecutionStatus = NonNullable<WorkflowExecutionResponse['status']>;

export const statuses: Record<ExecutionStatus, { label: string; tone: Tone }> = {
  RUNNING: { label: 'Running', tone: 'accent' },
  RETRYING_AFTER_ERROR: { label: 'Retrying after an error', tone: 'warning' },
  COMPLETED: { label: 'Completed', tone: 'success' },
  FAILED: { label: 'Failed', tone: 'danger' },
  TIMED_OUT: { label: 'Timed out', tone: 'danger' },
  CANCELED: { label: 'Cancelled', tone: 'warning' },
  TERMINATED: { label: 'Terminated', tone: 'warning' },
  CONTINUED_AS_NEW: { label: 'Continued as new', tone: 'neutral' },
};

export function isRunning(status: ExecutionStatus | null | undefined): boolean {
  return status === 'RUNNING' || status === 'RETRYING_AFTER_ERROR';
}
