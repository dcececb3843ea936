import { hash } from 'node:crypto';

/** Span ids derive from runs and their steps, so logs and traces have the same without storing them. The trace is the root execution's. */
export function spanIdOf(runId: string, activityId: string): string {
  return hash('sha256', `${runId}:${activityId}`).slice(0, 16);
}
