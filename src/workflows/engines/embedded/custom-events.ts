import type { CustomTaskEvent } from '../../../../packages/workflows/src/protocol.ts';
import { workflowErrors } from '../../errors.ts';
import { insertEmitted } from '../../store/emitted.ts';
import { customTask } from '../port/project-events.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** Public events of custom tasks, in their order. One that was published under its key before is not published again. */
export async function emit(
  unit: WorkUnit,
  run: RunState,
  emitted: { key: string; event: CustomTaskEvent; made?: { id: string; micros: number } }[],
): Promise<void> {
  for (const { key, event, made } of emitted) {
    if (await insertEmitted(unit.tx, run.row.run_id, key)) unit.publish(run, customTask(event), made);
  }
}

/** An event as a worker sends it by itself: whole, with the execution that it belongs to. */
export type SentEvent = {
  event_id: string;
  event_timestamp: number;
  workflow_exec_id: string;
  workflow_run_id: string;
  event: CustomTaskEvent;
};

/** Deduplicated by its id, so that one whose answer was lost can be sent again. */
export async function takeEvent(unit: WorkUnit, workspaceId: string, sent: SentEvent): Promise<void> {
  const run = await unit.findRun(workspaceId, sent.workflow_run_id);
  if (run?.row.execution_id !== sent.workflow_exec_id) throw workflowErrors.execution_not_found(sent.workflow_exec_id);
  const made = { id: sent.event_id, micros: toMicros(sent.event_timestamp) };
  await emit(unit, run, [{ key: `event ${sent.event_id}`, event: sent.event, made }]);
}

const NANOSECONDS_FROM = 1e17;

/** Some workers tell nanoseconds, which are more than a number in JSON can hold exactly. */
function toMicros(timestamp: number): number {
  return timestamp >= NANOSECONDS_FROM ? Math.floor(timestamp / 1000) : timestamp;
}
