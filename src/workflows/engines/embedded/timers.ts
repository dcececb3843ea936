import type { Command } from '../../../../packages/workflows/src/protocol.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { notifyRun } from './notify-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** Timers live in their table, which is also their heap: the alarms ask it for what is due and for what comes next. */
export function startTimer(unit: WorkUnit, run: RunState, command: Extract<Command, { type: 'start_timer' }>): void {
  const fireAtMs = unit.nowMs + command.fire_in_ms;
  const timer_id = String(command.seq);
  const startedEventId = unit.append(run, 'TIMER_STARTED', { timer_id, fire_at_ms: fireAtMs });
  unit.insertTimer(run, command.seq, startedEventId, fireAtMs);
}

export async function cancelTimer(unit: WorkUnit, run: RunState, seq: number): Promise<void> {
  const startedEventId = await unit.deleteTimer(run, seq);
  // It may have fired while the code decided to cancel it; the event says so all the same.
  unit.append(run, 'TIMER_CANCELED', { timer_id: String(seq), started_event_id: startedEventId ?? null });
}

/** Once, because the row that makes it fire goes with it. False when another process has the run at this moment. */
export async function fireTimer(unit: WorkUnit, runId: string, seq: number): Promise<boolean> {
  const run = await unit.findFreeRun(runId);
  if (!run || hasEnded(run.row.status)) return run !== undefined;
  const startedEventId = await unit.deleteTimer(run, seq);
  if (startedEventId === undefined) return true;
  unit.changed(run);
  notifyRun(unit, run, [
    { type: 'TIMER_FIRED', attributes: { timer_id: String(seq), started_event_id: startedEventId } },
  ]);
  return true;
}
