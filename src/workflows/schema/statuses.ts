import { z } from 'zod';

export const WorkflowExecutionStatus = z
  .enum([
    'RUNNING',
    'COMPLETED',
    'FAILED',
    'CANCELED',
    'TERMINATED',
    'CONTINUED_AS_NEW',
    'TIMED_OUT',
    'RETRYING_AFTER_ERROR',
  ])
  .meta({ id: 'WorkflowExecutionStatus' });

export type ExecutionStatus = z.infer<typeof WorkflowExecutionStatus>;

const open = { RUNNING: true, RETRYING_AFTER_ERROR: true } as const satisfies Partial<Record<ExecutionStatus, true>>;

export const OPEN_STATUSES = Object.keys(open) as (keyof typeof open)[];

/** The only definition of a run that has ended. */
export function hasEnded(status: ExecutionStatus): boolean {
  return !(status in open);
}
