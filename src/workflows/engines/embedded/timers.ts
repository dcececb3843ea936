import type { Command } from '../../../../packages/workflows/src/protocol.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { notifyRun } from './notify-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export function startTimer(unit: WorkUnit, run: RunState, command: Extract<Command, { type: 'start_timer' }>): void {
  const fireAtMs = unit.nowMs + command.fire_in_ms;
  const timer_id = String(command.seq);
  const startedEventId = unit.append(run, 'TIMER_STARTED', { timer_id, fire_at_ms: fireAtMs });
  unit.insertTimer(run, command.seq, startedEventId, fireAtMs);
}

export async function cancelTimer(unit: WorkUnit, run: RunState, seq: number): Promise<void> {
  const startedEventId = await unit.deleteTimer(run, seq);
  // The timer may have fired meanwhile; the command still gets its event.
  unit.append(run, 'TIMER_CANCELED', { timer_id: String(seq), started_event_id: startedEventId ?? null });
}

/** Fires once, because the row is deleted with it. False while another process writes the run. */
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
