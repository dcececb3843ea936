import { turnTimedOut } from '../port/project-events.ts';
import { endLease, releaseRun } from './leases.ts';
import { CLEARED_MS, DEATHS_MAX } from './limits.ts';
import { isTurnUnderWay, notifyRun } from './notify-run.ts';
import { isSetAside, setAside } from './set-aside.ts';
import { type Ending, failAttempt, isGranted, offer } from './steps.ts';
import type { StepRow } from './tables.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

/** The worker did not renew the lease in time. It may have died of the turn, or of a step that it began with it. */
export async function expireLease(unit: WorkUnit, run: RunState): Promise<void> {
  const { row } = run;
  const before = row.deaths;
  row.deaths++;
  row.lost_ms = unit.nowMs;
  if (isTurnUnderWay(row)) {
    row.turn_attempt++;
    unit.publish(run, turnTimedOut(row, 'START_TO_CLOSE'));
  }
  row.sticky_worker = null;
  const granted = [...(await unit.stepsOf(run)).values()].filter(isGranted);
  const endings = granted.flatMap((step) => loseAttempt(unit, run, step, before));
  endLease(unit, run);
  if (endings.length > 0) notifyRun(unit, run, endings);
  if (row.deaths >= DEATHS_MAX) await setAside(unit, run, `${row.deaths} workers did not survive it.`);
  else await setAsideForSteps(unit, run, granted);
}

/** The worker did not renew the lease of a step in time, or is gone. */
export async function loseStep(unit: WorkUnit, run: RunState, step: StepRow): Promise<void> {
  const endings = loseAttempt(unit, run, step, run.row.deaths);
  if (endings.length > 0) notifyRun(unit, run, endings);
  await setAsideForSteps(unit, run, [step]);
}

/**
 * Another worker repeats the attempt, which was hardly to blame; when it is lost too, the attempt has failed, and the
 * retry policy decides. `before`: deaths of the run, of which a step that began with a turn may be the cause.
 */
function loseAttempt(unit: WorkUnit, run: RunState, step: StepRow, before: number): Ending[] {
  const lost = Math.max(step.lost_leases, before) + 1;
  let endings: Ending[] = [];
  if (lost === 1) offer(unit, run, step, unit.nowMs);
  else {
    const message = `${lost} workers were lost while they ran the step '${step.name}'.`;
    endings = failAttempt(unit, run, step, { message, type: 'WorkerLost' });
  }
  step.lost_leases = lost;
  return endings;
}

/** A policy may allow more attempts than workers should die of. */
async function setAsideForSteps(unit: WorkUnit, run: RunState, lost: StepRow[]): Promise<void> {
  const open = await unit.stepsOf(run);
  const deadly = lost.find((step) => step.lost_leases >= DEATHS_MAX && open.has(step.scheduled_event_id));
  if (!deadly || isSetAside(run)) return;
  await releaseRun(unit, run);
  await setAside(unit, run, `${deadly.lost_leases} workers did not survive its step '${deadly.name}'.`);
}

/** A turn was stored: what happened long enough ago was not the run's doing. */
export function clearOfDeaths(unit: WorkUnit, { row }: RunState): void {
  if (row.deaths === 0 || row.lost_ms === null || unit.nowMs - row.lost_ms < CLEARED_MS) return;
  row.deaths = 0;
  row.lost_ms = null;
}

/** The holder of an earlier lease answers after all: it was slow, not dead. */
export function forgiveDeath(run: RunState): void {
  if (run.row.deaths > 0 && !isSetAside(run)) run.row.deaths--;
}
