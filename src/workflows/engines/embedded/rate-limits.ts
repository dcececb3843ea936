import { uuidv7 } from '../../../kit/base/ids.ts';
import type { StepRow } from '../port/tables.ts';
import { setDue } from './steps.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/**
 * A rate limit is shared by all workers of a deployment: at most `max` attempts begin within any `window_ms`. A step
 * that comes too early waits until the oldest of them is out of the window.
 */
export async function admitByRate(unit: WorkUnit, run: RunState, step: StepRow): Promise<boolean> {
  const limit = step.options.rate_limit;
  if (!limit) return true;
  const grants = unit.tx
    .selectFrom('workflow_rate_grants')
    .where('workspace_id', '=', step.workspace_id)
    .where('deployment_name', '=', step.deployment_name)
    .where('key', '=', limit.key);
  const recent = await grants
    .select('at_ms')
    .where('at_ms', '>', unit.nowMs - limit.window_ms)
    .orderBy('at_ms', 'desc')
    .limit(limit.max)
    .execute();
  const oldest = recent.at(-1);
  if (oldest && recent.length >= limit.max) {
    step.state = 'waiting';
    step.ready_ms = oldest.at_ms + limit.window_ms;
    setDue(step);
    unit.changedStep(run, step);
    return false;
  }
  await unit.tx
    .insertInto('workflow_rate_grants')
    .values({
      workspace_id: step.workspace_id,
      deployment_name: step.deployment_name,
      key: limit.key,
      at_ms: unit.nowMs,
      id: uuidv7(unit.nowMs),
    })
    .execute();
  await unit.tx
    .deleteFrom('workflow_rate_grants')
    .where('workspace_id', '=', step.workspace_id)
    .where('deployment_name', '=', step.deployment_name)
    .where('key', '=', limit.key)
    .where('at_ms', '<=', unit.nowMs - limit.window_ms)
    .execute();
  return true;
}
