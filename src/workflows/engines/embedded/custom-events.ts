import type { CustomTaskEvent } from '../../../../packages/workflows/src/protocol.ts';
import { workflowErrors } from '../../errors.ts';
import { toMicros } from '../../events/parse-worker-event.ts';
import { insertEmitted } from '../../store/emitted.ts';
import { customTask } from '../port/project-events.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** Publishes events of custom tasks, each key once. */
export async function emit(
  unit: WorkUnit,
  run: RunState,
  emitted: { key: string; event: CustomTaskEvent; made?: { id: string; micros: number } }[],
): Promise<void> {
  for (const { key, event, made } of emitted) {
    if (await insertEmitted(unit.tx, run.row.run_id, key)) unit.publish(run, customTask(event), made);
  }
}

/** An event that a worker sends outside of a turn. */
export type SentEvent = {
  event_id: string;
  event_timestamp: number;
  workflow_exec_id: string;
  workflow_run_id: string;
  event: CustomTaskEvent;
};

/** Deduplicates by event id, so a worker can resend an event whose response was lost. */
export async function recordEvent(unit: WorkUnit, workspaceId: string, sent: SentEvent): Promise<void> {
  const run = await unit.findRun(workspaceId, sent.workflow_run_id);
  if (run?.row.execution_id !== sent.workflow_exec_id) throw workflowErrors.execution_not_found(sent.workflow_exec_id);
  const made = { id: sent.event_id, micros: toMicros(sent.event_timestamp) };
  await emit(unit, run, [{ key: `event ${sent.event_id}`, event: sent.event, made }]);
}
