import type { Advance, Json } from '../../../../packages/workflows/src/protocol.ts';
import { turnFailed } from '../port/project-events.ts';
import { endRun } from './end-run.ts';
import { releaseRun } from './leases.ts';
import { scheduleTurn } from './notify-run.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 60_000;

/** A turn failed. Nondeterminism ends the run; any other failure is retried with backoff. */
export async function failTurn(
  unit: WorkUnit,
  run: RunState,
  failure: NonNullable<Advance['task_failure']>,
): Promise<void> {
  const { nondeterministic, ...reported } = failure;
  unit.publish(run, turnFailed(run.row, reported));
  if (nondeterministic) {
    unit.append(run, 'WORKFLOW_TASK_FAILED', { failure: reported as Json });
    return endRun(unit, run, { status: 'FAILED', failure: reported });
  }
  await releaseRun(unit, run);
  const { row } = run;
  row.sticky_worker = null;
  row.status = 'RETRYING_AFTER_ERROR';
  const delayMs = Math.min(RETRY_FIRST_MS * 2 ** (row.turn_attempt - 1), RETRY_MAX_MS);
  row.turn_attempt++;
  row.ready_ms = unit.nowMs + delayMs;
}

/** STARTED and COMPLETED are written together when the turn ends, so a lost turn leaves no events. */
export function completeTurn(unit: WorkUnit, run: RunState, timeMs: number): void {
  const { row } = run;
  scheduleTurn(unit, run);
  unit.turnsToDeliver.delete(run);
  const scheduled_event_id = row.turn_scheduled_id ?? 0;
  const started_event_id = unit.append(run, 'WORKFLOW_TASK_STARTED', { scheduled_event_id }, timeMs);
  const worker = row.lease_worker ?? '';
  unit.append(run, 'WORKFLOW_TASK_COMPLETED', { scheduled_event_id, started_event_id, worker });
  row.turn_scheduled_id = null;
  row.turn_attempt = 1;
  if (row.status === 'RETRYING_AFTER_ERROR') row.status = 'RUNNING';
}
