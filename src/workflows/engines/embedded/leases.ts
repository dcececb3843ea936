import { hasEnded } from '../../schema/statuses.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { LEASE_MS } from './limits.ts';
import { flushBuffered } from './notify-run.ts';
import { isGranted, moveToOwnLease } from './steps.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export function leaseRun(unit: WorkUnit, { row }: RunState, worker: string): void {
  row.lease_seq++;
  row.lease_worker = worker;
  row.lease_until_ms = unit.nowMs + LEASE_MS;
  row.ready_ms = null;
}

export function renewLease(unit: WorkUnit, { row }: RunState): void {
  row.lease_until_ms = unit.nowMs + LEASE_MS;
}

export function endLease(unit: WorkUnit, run: RunState): void {
  const { row } = run;
  row.lease_worker = null;
  row.lease_until_ms = null;
  flushBuffered(unit, run);
  if (row.turn_scheduled_id !== null) row.ready_ms ??= unit.nowMs;
}

/** The worker keeps its steps, each under a lease of its own, but not the run. */
export async function releaseRun(unit: WorkUnit, run: RunState): Promise<void> {
  for (const step of (await unit.stepsOf(run)).values()) if (isGranted(step)) moveToOwnLease(unit, run, step);
  endLease(unit, run);
}

/** After a turn: keeps the lease while there is another turn or a granted step. */
export async function keepOrEndLease(unit: WorkUnit, run: RunState, lastKnownId: number): Promise<void> {
  const { row } = run;
  row.sticky_worker = row.lease_worker;
  row.sticky_event_id = lastKnownId;
  const steps = await unit.stepsOf(run);
  if (row.turn_scheduled_id === null && !steps.values().some(isGranted)) endLease(unit, run);
  else renewLease(unit, run);
}

/**
 * Sets when the engine must look at the run again. Early is harmless: an earlier time is kept, which saves an index
 * update each time a worker renews its lease. Not if the run sleeps for longer: it would be looked at for nothing.
 */
export function setRunDue(row: RunRow, nowMs: number, sleepsUntilMs = 0): void {
  const isDelayed = row.ready_ms !== null && row.ready_ms > nowMs;
  const times = [row.lease_until_ms, row.deadline_ms, isDelayed ? row.ready_ms : null].filter((time) => time !== null);
  const dueMs = hasEnded(row.status) || times.length === 0 ? null : Math.min(...times);
  const isEarlyEnough = dueMs !== null && row.due_ms !== null && row.due_ms > nowMs && row.due_ms <= dueMs;
  const isForNothing = row.lease_worker === null && (row.due_ms ?? 0) < sleepsUntilMs;
  if (!isEarlyEnough || isForNothing) row.due_ms = dueMs;
}
