import type { HistoryEvent, Json, StepOptions } from '../../../../packages/workflows/src/protocol.ts';
import { resetEventNotValid, workflowErrors } from '../../errors.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { readHistory } from '../../store/history.ts';
import { HISTORY_EVENTS_MAX } from '../port/limits.ts';
import { freshState } from '../port/new-run.ts';
import { executionStarted } from '../port/project-events.ts';
import { endRun } from './end-run.ts';
import { newRunId } from './start-run.ts';
import { openStep } from './steps.ts';
import { listOpenChildrenUpTo } from './store/children.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export type Reset = {
  eventId: number;
  reason?: string | undefined;
  excludeSignals: boolean;
  excludeUpdates: boolean;
};

const TURN_ENDS = 'WORKFLOW_TASK_COMPLETED';

/** Starts a new run with the history up to a turn, which is repeated. Later signals and updates are applied again. */
export async function resetRun(
  unit: WorkUnit,
  target: { workspaceId: string; executionId: string },
  reset: Reset,
): Promise<void> {
  const old = await unit.findLatest(target.workspaceId, target.executionId);
  if (!old) throw workflowErrors.execution_not_found(target.executionId);
  const events = await readHistory(unit.tx, old.row.run_id, 0, HISTORY_EVENTS_MAX * 2);
  const turnEnds = events.filter(({ type }) => type === TURN_ENDS);
  const turn = turnEnds.find(({ id }) => id === reset.eventId);
  if (!turn)
    throw resetEventNotValid(
      reset.eventId,
      turnEnds.map(({ id }) => id),
    );
  const keptUpTo = Number(turn.attributes.started_event_id) - 1;
  const run = copyRun(unit, old, events.slice(0, keptUpTo));
  run.row.turn_scheduled_id = Number(turn.attributes.scheduled_event_id);
  run.row.ready_ms = unit.nowMs;
  // Children that the kept history started move to the new run and outlive the old one.
  await adoptChildren(unit, old, run, keptUpTo);
  const reason = reset.reason ?? `Reset to event ${reset.eventId}`;
  if (!hasEnded(old.row.status)) await endRun(unit, old, { status: 'TERMINATED', reason });
  reapply(unit, run, events.slice(keptUpTo), reset);
}

function copyRun(unit: WorkUnit, old: RunState, kept: HistoryEvent[]): RunState {
  old.row.is_latest = false;
  const run = unit.addRun({
    ...old.row,
    ...freshState(unit),
    version: 1,
    run_id: newRunId(unit),
    is_latest: true,
    has_children: false,
    deadline_ms: old.row.timeout_ms > 0 ? unit.nowMs + old.row.timeout_ms : null,
  });
  for (const { type, attributes, time_ms } of kept) unit.append(run, type, attributes, time_ms);
  const input = kept[0]?.attributes.input ?? null;
  unit.publish(run, executionStarted(run.row, input, 1));
  reopen(unit, run, kept);
  return run;
}

/** Reopens the steps and timers that are open in the kept history, under their old event ids. */
function reopen(unit: WorkUnit, run: RunState, kept: HistoryEvent[]): void {
  const ended = new Set(kept.filter(endsStep).map(({ attributes }) => attributes.scheduled_event_id));
  const over = new Set(
    kept
      .filter(({ type }) => type === 'TIMER_FIRED' || type === 'TIMER_CANCELED')
      .map(({ attributes }) => attributes.timer_id),
  );
  for (const event of kept) {
    const { type, id, attributes } = event;
    if (type === 'ACTIVITY_TASK_SCHEDULED' && !ended.has(id)) reopenStep(unit, run, event);
    if (type === 'TIMER_STARTED' && !over.has(attributes.timer_id ?? null))
      unit.insertTimer(run, Number(attributes.timer_id), id, Number(attributes.fire_at_ms));
  }
  run.row.cancel_requested = kept.some(({ type }) => type === 'WORKFLOW_EXECUTION_CANCEL_REQUESTED');
}

function endsStep({ type }: HistoryEvent): boolean {
  return (
    type === 'ACTIVITY_TASK_COMPLETED' ||
    type === 'ACTIVITY_TASK_FAILED' ||
    type === 'ACTIVITY_TASK_TIMED_OUT' ||
    type === 'ACTIVITY_TASK_CANCELED'
  );
}

function reopenStep(unit: WorkUnit, run: RunState, { id, attributes }: HistoryEvent): void {
  openStep(unit, run, id, {
    seq: Number(attributes.activity_id),
    name: String(attributes.activity_name),
    input: attributes.input as Json[],
    options: attributes.options as StepOptions,
  });
}

async function adoptChildren(unit: WorkUnit, old: RunState, run: RunState, upTo: number): Promise<void> {
  if (!old.row.has_children) return;
  const children = await listOpenChildrenUpTo(unit.tx, old.row.run_id, upTo);
  for (const { run_id } of children) {
    const child = await unit.findRun(old.row.workspace_id, run_id);
    if (child) child.row.parent_run_id = run.row.run_id;
  }
  run.row.has_children = children.length > 0;
}

function reapply(unit: WorkUnit, run: RunState, after: HistoryEvent[], reset: Reset): void {
  for (const { type, attributes, time_ms } of after) {
    const isSignal = type === 'WORKFLOW_EXECUTION_SIGNALED' && !reset.excludeSignals;
    const isUpdate = type === 'WORKFLOW_EXECUTION_UPDATE_ADMITTED' && !reset.excludeUpdates;
    if (isSignal || isUpdate) unit.append(run, type, attributes, time_ms);
  }
}
