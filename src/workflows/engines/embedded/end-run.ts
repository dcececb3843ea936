import type { Failure, HistoryEventType, Json } from '../../../../packages/workflows/src/protocol.ts';
import { isoMicros } from '../../../kit/base/clock.ts';
import { type ExecutionStatus, hasEnded } from '../../schema/statuses.ts';
import { HISTORY_EVENTS_MAX } from '../port/limits.ts';
import { executionEnded } from '../port/project-events.ts';
import { HISTORY_BYTES_MAX } from './limits.ts';
import { appendBuffered, notifyRun } from './notify-run.ts';
import { forget, isSetAside } from './set-aside.ts';
import { listOpenChildren } from './store/children.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export type RunEnd =
  | { status: 'COMPLETED'; result: Json }
  | { status: 'FAILED'; failure: Failure }
  | { status: 'CANCELED' | 'TERMINATED'; reason?: string | undefined }
  | { status: 'TIMED_OUT'; failure: Failure };

/** Appends the last event of a run, notifies its parent and applies the close policy of its children. */
export async function endRun(unit: WorkUnit, run: RunState, end: RunEnd): Promise<void> {
  const { row } = run;
  const reason = 'reason' in end ? end.reason : undefined;
  row.result = 'result' in end ? end.result : null;
  row.failure = 'failure' in end ? end.failure : null;
  appendBuffered(unit, run);
  unit.append(run, `WORKFLOW_EXECUTION_${end.status}`, {
    ...('result' in end ? { result: end.result } : {}),
    ...('failure' in end ? { failure: end.failure as Json } : {}),
    ...(reason === undefined ? {} : { reason }),
  });
  await closeRun(unit, run, end.status);
  unit.publish(run, executionEnded(row, reason));
  await notifyParent(unit, run);
}

/** Clears the run's open work and closes its children. */
export async function closeRun(unit: WorkUnit, run: RunState, status: ExecutionStatus): Promise<void> {
  const { row } = run;
  row.status = status;
  row.ended_at = isoMicros(unit.clock);
  for (const step of (await unit.stepsOf(run)).values()) if (step.lease_worker !== null) unit.stepsToStop.add(step);
  row.turn_scheduled_id = null;
  row.ready_ms = null;
  row.lease_worker = null;
  row.lease_until_ms = null;
  row.buffered = null;
  await forget(unit, run);
  unit.turnsToDeliver.delete(run);
  unit.changed(run);
  if (row.has_children) await closeChildren(unit, run);
}

const PARENT_EVENTS: Partial<Record<ExecutionStatus, HistoryEventType>> = {
  COMPLETED: 'CHILD_WORKFLOW_EXECUTION_COMPLETED',
  FAILED: 'CHILD_WORKFLOW_EXECUTION_FAILED',
  CANCELED: 'CHILD_WORKFLOW_EXECUTION_CANCELED',
  TERMINATED: 'CHILD_WORKFLOW_EXECUTION_TERMINATED',
  TIMED_OUT: 'CHILD_WORKFLOW_EXECUTION_TIMED_OUT',
};

async function notifyParent(unit: WorkUnit, { row }: RunState): Promise<void> {
  const type = PARENT_EVENTS[row.status];
  if (row.parent_run_id === null || !row.parent_waits || !type) return;
  const parent = await unit.findRun(row.workspace_id, row.parent_run_id);
  if (!parent || hasEnded(parent.row.status)) return;
  const attributes = {
    initiated_event_id: row.parent_initiated_id,
    seq: row.parent_seq,
    execution_id: row.execution_id,
    run_id: row.run_id,
    ...(row.status === 'COMPLETED' ? { result: row.result } : {}),
    ...(row.failure ? { failure: row.failure as Json } : {}),
  };
  notifyRun(unit, parent, [{ type, attributes }]);
}

async function closeChildren(unit: WorkUnit, { row: parent }: RunState): Promise<void> {
  const rows = await listOpenChildren(unit.tx, parent.run_id);
  for (const { run_id } of rows) {
    const child = await unit.findRun(parent.workspace_id, run_id);
    // A reset in this transaction may have moved it to another run.
    if (!child || hasEnded(child.row.status) || child.row.parent_run_id !== parent.run_id) continue;
    const reason = `Its parent ${parent.execution_id} has ended.`;
    if (child.row.parent_close_policy === 'terminate') await endRun(unit, child, { status: 'TERMINATED', reason });
    else if (child.row.parent_close_policy === 'request_cancel') await requestCancel(unit, child, reason);
  }
}

/** The workflow code sees the request in its next turn and may clean up. That of a run that is set aside has no next turn. */
export async function requestCancel(unit: WorkUnit, run: RunState, reason?: string): Promise<void> {
  if (hasEnded(run.row.status)) return;
  if (isSetAside(run)) return endRun(unit, run, { status: 'CANCELED', reason });
  if (run.row.cancel_requested) return;
  run.row.cancel_requested = true;
  const attributes = reason === undefined ? {} : { reason };
  notifyRun(unit, run, [{ type: 'WORKFLOW_EXECUTION_CANCEL_REQUESTED', attributes }]);
}

/** Ends runs whose history is too long: replay and readers load it whole. */
export async function endOversizedRuns(unit: WorkUnit): Promise<void> {
  for (const run of unit.runs()) {
    const { row } = run;
    const isOver = row.last_event_id > HISTORY_EVENTS_MAX || row.history_bytes > HISTORY_BYTES_MAX;
    if (!isOver || hasEnded(row.status)) continue;
    const message = `The history has grown beyond ${HISTORY_EVENTS_MAX} events or ${HISTORY_BYTES_MAX / 1024 / 1024} MB. Let the workflow continue as new from time to time.`;
    await endRun(unit, run, { status: 'FAILED', failure: { message, type: 'HistoryTooLong', non_retryable: true } });
  }
}
