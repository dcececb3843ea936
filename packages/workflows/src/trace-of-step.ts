import { createHash } from 'node:crypto';

/** As the server does it. */
const UUID = /^(?!0{8}-0{4}-0{4})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The W3C header of requests within a step: their spans are shown below that of the step. */
export function traceOfStep(rootExecutionId: string, runId: string, activityId: string): string {
  const traceId = UUID.test(rootExecutionId) ? rootExecutionId.replaceAll('-', '') : hash(rootExecutionId).slice(0, 32);
  return `00-${traceId}-${hash(`${runId}:${activityId}`).slice(0, 16)}-01`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
