import { isoMicros } from '../../../kit/base/clock.ts';
import { DEATHS_MAX } from './limits.ts';
import { offer, setDue } from './steps.ts';
import { QUARANTINE_KEY, unparkTimers } from './store/quarantine.ts';
import type { StepRow } from './tables.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export const isSetAside = ({ row }: RunState): boolean => row.quarantined_at !== null;

/** No worker gets the run or its steps any more, until it is taken up by hand. Messages still reach its history. */
export async function setAside(unit: WorkUnit, run: RunState, reason: string): Promise<void> {
  const { row } = run;
  row.deaths = DEATHS_MAX;
  row.quarantined_at = isoMicros(unit.clock);
  row.quarantine_reason = reason;
  row.ready_ms = null;
  row.status = 'RUNNING';
  for (const step of (await unit.stepsOf(run)).values()) if (step.lease_worker === null) hold(unit, run, step);
  unit.insertSearchKey(run, QUARANTINE_KEY, reason);
  unit.quarantined.push(row);
}

/** The step waits for nothing but its run. */
export function hold(unit: WorkUnit, run: RunState, step: StepRow): void {
  step.state = 'waiting';
  step.ready_ms = null;
  setDue(step);
  unit.changedStep(run, step);
}

/** Offers the run to workers again, with what became of it meanwhile. */
export async function takeUp(unit: WorkUnit, run: RunState): Promise<void> {
  const { row } = run;
  await forget(unit, run);
  if (row.turn_scheduled_id !== null && row.lease_worker === null) row.ready_ms = unit.nowMs;
  for (const step of (await unit.stepsOf(run)).values()) {
    if (step.lease_worker !== null && (step.lease_until_ms ?? 0) > unit.nowMs) continue;
    step.lost_leases = 0;
    offer(unit, run, step, unit.nowMs);
  }
  await unparkTimers(unit.tx, row.run_id);
  unit.changed(run);
}

/** The run is not set aside any more, nor suspected of anything. */
export async function forget(unit: WorkUnit, run: RunState): Promise<void> {
  const { row } = run;
  row.deaths = 0;
  row.lost_ms = null;
  if (row.quarantined_at === null) return;
  row.quarantined_at = null;
  row.quarantine_reason = null;
  await unit.setSearchKeys(run, { [QUARANTINE_KEY]: null });
}
