import type { Command, Failure, Json } from '../../../../packages/workflows/src/protocol.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { Effect } from './effects.ts';
import { notifyRun, notifyRunFromClient } from './notify-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export function signalRun(unit: WorkUnit, run: RunState, name: string, input: Json): void {
  notifyRunFromClient(unit, run, 'WORKFLOW_EXECUTION_SIGNALED', { signal_name: name, input });
}

/** A signal from one execution to another of its workspace. */
export function signalFromRun(
  unit: WorkUnit,
  run: RunState,
  command: Extract<Command, { type: 'signal_execution' }>,
): Effect {
  const { seq, execution_id, name, input } = command;
  const initiated_event_id = unit.append(run, 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', {
    seq,
    execution_id,
    signal_name: name,
    input,
  });
  return async (isEnding) => {
    const target = await unit.findLatest(run.row.workspace_id, execution_id);
    const isReached = target && !hasEnded(target.row.status);
    if (isReached)
      notifyRun(unit, target, [{ type: 'WORKFLOW_EXECUTION_SIGNALED', attributes: { signal_name: name, input } }]);
    if (isEnding) return;
    const failure: Failure = { message: `No execution '${execution_id}' is running.`, type: 'NotRunning' };
    notifyRun(unit, run, [
      isReached
        ? { type: 'EXTERNAL_WORKFLOW_EXECUTION_SIGNALED', attributes: { initiated_event_id, seq } }
        : {
            type: 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED',
            attributes: { initiated_event_id, seq, failure: failure as Json },
          },
    ]);
  };
}
