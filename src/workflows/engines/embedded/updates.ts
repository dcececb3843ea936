import type { Command, Json } from '../../../../packages/workflows/src/protocol.ts';
import type { Outcome } from '../port/tables.ts';
import { tellRunFromClient } from './notify-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** Durable before the handler runs; who waits for it finds the outcome in the table. */
export async function admitUpdate(
  unit: WorkUnit,
  run: RunState,
  update: { updateId: string; name: string; input: Json },
): Promise<void> {
  const { updateId, name, input } = update;
  tellRunFromClient(unit, run, 'WORKFLOW_EXECUTION_UPDATE_ADMITTED', { update_id: updateId, update_name: name, input });
  await unit.tx
    .insertInto('workflow_updates')
    .values({ update_id: updateId, run_id: run.row.run_id, outcome: null, created_ms: unit.nowMs })
    .execute();
}

export async function completeUpdate(
  unit: WorkUnit,
  run: RunState,
  command: Extract<Command, { type: 'complete_update' }>,
): Promise<void> {
  const { update_id, failure, result = null } = command;
  const outcome: Outcome = failure ? { failure } : { result };
  unit.append(run, 'WORKFLOW_EXECUTION_UPDATE_COMPLETED', { update_id, ...(outcome as Record<string, Json>) });
  await unit.tx
    .updateTable('workflow_updates')
    .set({ outcome: JSON.stringify(outcome) })
    .where('update_id', '=', update_id)
    .where('run_id', '=', run.row.run_id)
    .execute();
  unit.updatesDone.push([update_id, outcome]);
}
