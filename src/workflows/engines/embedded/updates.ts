import type { Command, Json } from '../../../../packages/workflows/src/protocol.ts';
import { notifyRunFromClient } from './notify-run.ts';
import { insertUpdate, updateOutcome } from './store/updates.ts';
import type { Outcome } from './tables.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** Stores the update before its handler runs; the caller reads the outcome from the table. */
export async function admitUpdate(
  unit: WorkUnit,
  run: RunState,
  update: { updateId: string; name: string; input: Json },
): Promise<void> {
  const { updateId, name, input } = update;
  notifyRunFromClient(unit, run, 'WORKFLOW_EXECUTION_UPDATE_ADMITTED', {
    update_id: updateId,
    update_name: name,
    input,
  });
  await insertUpdate(unit.tx, { update_id: updateId, run_id: run.row.run_id, created_ms: unit.nowMs });
}

export async function completeUpdate(
  unit: WorkUnit,
  run: RunState,
  command: Extract<Command, { type: 'complete_update' }>,
): Promise<void> {
  const { update_id, failure, result = null } = command;
  const outcome: Outcome = failure ? { failure } : { result };
  unit.append(run, 'WORKFLOW_EXECUTION_UPDATE_COMPLETED', { update_id, ...(outcome as Record<string, Json>) });
  await updateOutcome(unit.tx, update_id, run.row.run_id, outcome);
  unit.updatesDone.push([update_id, outcome]);
}
