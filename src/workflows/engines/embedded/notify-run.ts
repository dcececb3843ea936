import type { HistoryEventType, Json } from '../../../../packages/workflows/src/protocol.ts';
import { workflowErrors } from '../../errors.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { BufferedEvent, RunRow } from '../../store/run-tables.ts';
import { BUFFERED_EVENTS_MAX } from './limits.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** While a worker takes a turn, the history must not grow. */
export function isTurnUnderWay({ turn_scheduled_id, lease_worker }: RunRow): boolean {
  return turn_scheduled_id !== null && lease_worker !== null;
}

/**
 * Appends external events and schedules a turn. While a worker takes a turn they are buffered until it has ended, so
 * that a signal never invalidates a turn.
 */
export function notifyRun(unit: WorkUnit, run: RunState, events: Pick<BufferedEvent, 'type' | 'attributes'>[]): void {
  if (hasEnded(run.row.status)) return;
  if (isTurnUnderWay(run.row)) {
    run.row.buffered ??= [];
    for (const event of events) run.row.buffered.push({ ...event, time_ms: unit.nowMs });
    unit.changed(run);
  } else {
    appendAll(unit, run, events);
    scheduleTurn(unit, run);
  }
}

/** For messages of clients, whose number per turn is limited. */
export function notifyRunFromClient(
  unit: WorkUnit,
  run: RunState,
  type: HistoryEventType,
  attributes: Record<string, Json>,
): void {
  if ((run.row.buffered?.length ?? 0) >= BUFFERED_EVENTS_MAX) throw workflowErrors.too_many_messages();
  notifyRun(unit, run, [{ type, attributes }]);
}

type Appendable = Pick<BufferedEvent, 'type' | 'attributes'> & { time_ms?: number };

function appendAll(unit: WorkUnit, run: RunState, events: Appendable[]): void {
  let startedId = 0;
  for (const { type, attributes, time_ms } of events) {
    // The end of a step refers to the event before it, whose id is only known now.
    const linked = attributes.started_event_id === 0 ? { ...attributes, started_event_id: startedId } : attributes;
    const id = unit.append(run, type, linked, time_ms);
    if (type === 'ACTIVITY_TASK_STARTED') startedId = id;
  }
}

export function scheduleTurn(unit: WorkUnit, run: RunState): void {
  const { row } = run;
  if (row.turn_scheduled_id !== null || hasEnded(row.status)) return;
  row.turn_scheduled_id = unit.append(run, 'WORKFLOW_TASK_SCHEDULED', { attempt: 1 });
  row.turn_attempt = 1;
  if (row.lease_worker === null) row.ready_ms = unit.nowMs;
  else unit.turnsToDeliver.add(run);
}

/** Events that came during the turn cause the next one. */
export function flushBuffered(unit: WorkUnit, run: RunState): void {
  if (appendBuffered(unit, run)) scheduleTurn(unit, run);
}

/** Accepted events go to the history even if no further turn reads them. */
export function appendBuffered(unit: WorkUnit, run: RunState): boolean {
  const { buffered } = run.row;
  if (!buffered) return false;
  run.row.buffered = null;
  appendAll(unit, run, buffered);
  return true;
}
