import { uuidv7 } from '../../../kit/base/ids.ts';
import { setDue } from './steps.ts';
import { deleteGrants, insertGrant, listGrants } from './store/rate-grants.ts';
import type { StepRow } from './tables.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/**
 * All workers of a deployment share a rate limit: at most `max` attempts begin within any `window_ms`. A step over the
 * limit waits until the oldest attempt leaves the window.
 */
export async function admitByRate(unit: WorkUnit, run: RunState, step: StepRow): Promise<boolean> {
  const limit = step.options.rate_limit;
  if (!limit) return true;
  const bucket = { workspace_id: step.workspace_id, deployment_name: step.deployment_name, key: limit.key };
  const windowStartMs = unit.nowMs - limit.window_ms;
  const recent = await listGrants(unit.tx, bucket, windowStartMs, limit.max);
  const oldest = recent.at(-1);
  if (oldest && recent.length >= limit.max) {
    step.state = 'waiting';
    step.ready_ms = oldest.at_ms + limit.window_ms;
    setDue(step);
    unit.changedStep(run, step);
    return false;
  }
  await insertGrant(unit.tx, { ...bucket, at_ms: unit.nowMs, id: uuidv7(unit.nowMs) });
  await deleteGrants(unit.tx, bucket, windowStartMs);
  return true;
}
