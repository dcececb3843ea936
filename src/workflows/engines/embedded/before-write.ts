import { hasEnded } from '../port/statuses.ts';
import type { RunRow } from '../port/tables.ts';
import { endRun } from './end-run.ts';
import { HISTORY_BYTES_MAX, HISTORY_EVENTS_MAX } from './limits.ts';
import type { WorkUnit } from './work-unit.ts';

/** The history is bounded: replay reads it whole, and so does everyone who looks at it. */
export async function endOversized(unit: WorkUnit): Promise<void> {
  for (const run of unit.runs()) {
    const { row } = run;
    const isOver = row.last_event_id > HISTORY_EVENTS_MAX || row.history_bytes > HISTORY_BYTES_MAX;
    if (!isOver || hasEnded(row.status)) continue;
    const message = `The history has grown beyond ${HISTORY_EVENTS_MAX} events or ${HISTORY_BYTES_MAX / 1024 / 1024} MB. Let the workflow continue as new from time to time.`;
    await endRun(unit, run, { status: 'FAILED', failure: { message, type: 'HistoryTooLong', non_retryable: true } });
  }
}

/**
 * When the engine must look at the run again. Too early does no harm, and a worker renews its lease with every turn: as
 * long as the time that is set lies before the new one, it is left, and its index with it.
 */
export function setRunDue(row: RunRow, nowMs: number): void {
  const isDelayed = row.ready_ms !== null && row.ready_ms > nowMs;
  const times = [row.lease_until_ms, row.deadline_ms, isDelayed ? row.ready_ms : null].filter((time) => time !== null);
  const dueMs = hasEnded(row.status) || times.length === 0 ? null : Math.min(...times);
  const isEarlyEnough = dueMs !== null && row.due_ms !== null && row.due_ms > nowMs && row.due_ms <= dueMs;
  if (!isEarlyEnough) row.due_ms = dueMs;
}
