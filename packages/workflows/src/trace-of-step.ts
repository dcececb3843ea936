import { createHash } from 'node:crypto';

/** The W3C header of requests within a step: their spans are shown below that of the step. */
export function traceOfStep(rootExecutionId: string, runId: string, activityId: string): string {
  return `00-${hash(rootExecutionId).slice(0, 32)}-${hash(`${runId}:${activityId}`).slice(0, 16)}-01`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
