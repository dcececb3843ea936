import { tenantOf } from '../../tenants/index.ts';
import type { JobRow } from '../store.ts';
import type { LineStep } from './execute-line.ts';
import type { Pace } from './pace.ts';

/** What a job without new results waits for, in a sentence; null when no request is under way. */
export function describeWait(steps: readonly LineStep[], job: Pick<JobRow, 'caller'>, pace: Pace): string | null {
  const [first] = steps;
  if (!first) return null;
  const asked = steps.find(({ kind }) => kind === 'model');
  if (asked) return `${count(steps, 'model')} requests wait for a response of '${asked.model}'.`;
  const again = steps.find(({ kind }) => kind === 'retry');
  if (again)
    return `'${again.model}' is busy or cannot be reached: ${count(steps, 'retry')} requests are sent again later.`;
  const before = pace.position(tenantOf({ ...job.caller, isBackground: true }), first.model);
  return `${steps.length} requests wait for their turn; ${before} of batch jobs are before them.`;
}

function count(steps: readonly LineStep[], kind: LineStep['kind']): number {
  return steps.filter((step) => step.kind === kind).length;
}
