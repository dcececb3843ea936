import type { Failure } from '../../../../packages/workflows/src/protocol.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { timeoutFailure } from '../port/executions.ts';
import { endRun } from './end-run.ts';
import { LEASE_MS } from './limits.ts';
import { expireLease, loseStep } from './lost-workers.ts';
import { notifyRun } from './notify-run.ts';
import { groupOf, type Sessions } from './sessions.ts';
import { failAttempt, failStep, setDue } from './steps.ts';
import type { StepRow } from './tables.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** What a process knows of workers: which have disconnected, and since when it hears them. */
export type Hearing = { sessions: Sessions; sinceMs: number };

/** Handles a due run: a deadline, an expired lease or a delayed turn. False while another process writes the run. */
export async function wakeRun(unit: WorkUnit, runId: string, hearing: Hearing): Promise<boolean> {
  const run = await unit.findFreeRun(runId);
  if (!run || hasEnded(run.row.status)) return run !== undefined;
  const { row } = run;
  if (row.deadline_ms !== null && row.deadline_ms <= unit.nowMs) {
    await endRun(unit, run, { status: 'TIMED_OUT', failure: timeoutFailure(row) });
  } else if (row.lease_until_ms !== null && row.lease_until_ms <= unit.nowMs) {
    row.lease_until_ms = laterLease(row.lease_until_ms, hearing);
    if (row.lease_until_ms <= unit.nowMs) await expireLease(unit, run);
  }
  // A delayed turn becomes ready.
  else if (row.ready_ms !== null && row.ready_ms <= unit.nowMs) unit.changed(run);
  return true;
}

/** While no server was there, workers could not renew their leases: they get the time of one. */
function laterLease(untilMs: number, { sinceMs }: Hearing): number {
  return Math.max(untilMs, sinceMs + LEASE_MS);
}

/** Handles a due step: a timeout, an expired lease or the end of a retry delay. */
export async function wakeStep(
  unit: WorkUnit,
  runId: string,
  scheduledEventId: number,
  hearing: Hearing,
): Promise<boolean> {
  const run = await unit.findFreeRun(runId);
  if (!run || hasEnded(run.row.status)) return run !== undefined;
  const step = (await unit.stepsOf(run)).get(scheduledEventId);
  if (!step || step.due_ms === null || step.due_ms > unit.nowMs) return true;
  const timeout = timeoutOf(step, unit.nowMs);
  if (timeout && !timeout.isFinal && isGone(step, hearing)) await loseStep(unit, run, step);
  else if (timeout) timeOut(unit, run, step, timeout);
  else if (step.lease_until_ms !== null && step.lease_until_ms <= unit.nowMs) {
    step.lease_until_ms = laterLease(step.lease_until_ms, hearing);
    if (step.lease_until_ms <= unit.nowMs) await loseStep(unit, run, step);
    else {
      setDue(step);
      unit.changedStep(run, step);
    }
  } else if (step.state === 'waiting' && step.ready_ms !== null) {
    step.state = 'ready';
    setDue(step);
    unit.changedStep(run, step);
  }
  return true;
}

/** A timeout may be shorter than the lease of a worker that died. */
function isGone(step: StepRow, { sessions }: Hearing): boolean {
  return sessions.isGone(groupOf(step.workspace_id, step.deployment_name), step.lease_worker ?? '');
}

type Timeout = { type: string; message: string; isFinal: boolean };

function timeoutOf(step: StepRow, nowMs: number): Timeout | undefined {
  const { name, options, started_ms, heartbeat_ms, scheduled_ms } = step;
  const { timeout_ms, heartbeat_ms: beat_ms, total_timeout_ms: total_ms } = options;
  if (total_ms !== undefined && scheduled_ms + total_ms <= nowMs)
    return {
      type: 'SCHEDULE_TO_CLOSE',
      message: `The step '${name}' was not done after ${total_ms} ms in all.`,
      isFinal: true,
    };
  if (started_ms !== null && started_ms + timeout_ms <= nowMs)
    return {
      type: 'START_TO_CLOSE',
      message: `An attempt of the step '${name}' was not done after ${timeout_ms} ms.`,
      isFinal: false,
    };
  if (beat_ms !== undefined && heartbeat_ms !== null && heartbeat_ms + beat_ms <= nowMs)
    return { type: 'HEARTBEAT', message: `The step '${name}' sent no heartbeat for ${beat_ms} ms.`, isFinal: false };
  return undefined;
}

function timeOut(unit: WorkUnit, run: RunState, step: StepRow, { type, message, isFinal }: Timeout): void {
  const failure: Failure = { message, type: 'StepTimeout' };
  if (step.lease_worker !== null) unit.stepsToStop.add({ ...step });
  const end = isFinal ? failStep : failAttempt;
  notifyEnd(unit, run, end(unit, run, step, failure, type));
}

function notifyEnd(unit: WorkUnit, run: RunState, events: Parameters<typeof notifyRun>[2]): void {
  if (events.length > 0) notifyRun(unit, run, events);
}
