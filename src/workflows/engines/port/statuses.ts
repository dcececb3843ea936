import type { ExecutionStatus } from './engine.ts';

/** The only judge of whether a run has ended. */
const open = { RUNNING: true, RETRYING_AFTER_ERROR: true } as const satisfies Partial<Record<ExecutionStatus, true>>;

export const OPEN_STATUSES = Object.keys(open) as (keyof typeof open)[];

export function hasEnded(status: ExecutionStatus): boolean {
  return !(status in open);
}
