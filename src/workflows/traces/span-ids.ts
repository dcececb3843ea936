import { hash } from 'node:crypto';

/** Trace and span ids derive from the execution and its steps, so logs and traces have the same without storing them. */
export function traceIdOf(executionId: string): string {
  return hash('sha256', executionId).slice(0, 32);
}

/** Of a run, or of a step of it. */
export function spanIdOf(runId: string, activityId: string): string {
  return hash('sha256', `${runId}:${activityId}`).slice(0, 16);
}
