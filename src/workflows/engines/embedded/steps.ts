import type { Command, Failure, Json, RetryPolicy, StepResult } from '../../../../packages/workflows/src/protocol.ts';
import type { BufferedEvent } from '../../store/run-tables.ts';
import { stepCompleted, stepFailed, stepStarted } from '../port/project-events.ts';
import { LEASE_MS } from './limits.ts';
import type { StepRow } from './tables.ts';
import { parseStepToken } from './tokens.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export type Ending = Pick<BufferedEvent, 'type' | 'attributes'>;

export const isGranted = ({ state }: StepRow): boolean => state === 'granted';

/** Appends the event of a new step and makes it ready for any worker. */
export function scheduleStep(
  unit: WorkUnit,
  run: RunState,
  command: Extract<Command, { type: 'schedule_step' }>,
): StepRow {
  const scheduledEventId = unit.append(run, 'ACTIVITY_TASK_SCHEDULED', {
    activity_id: String(command.seq),
    activity_name: command.name,
    input: command.input,
    options: command.options as Json,
  });
  return openStep(unit, run, scheduledEventId, command);
}

/** Also for a step that a reset reopens. */
export function openStep(
  unit: WorkUnit,
  run: RunState,
  scheduledEventId: number,
  { seq, name, input, options }: Pick<StepRow, 'seq' | 'name' | 'input' | 'options'>,
): StepRow {
  const step: StepRow = {
    run_id: run.row.run_id,
    scheduled_event_id: scheduledEventId,
    workspace_id: run.row.workspace_id,
    deployment_name: run.row.deployment_name,
    seq,
    name,
    input,
    options,
    state: 'ready',
    attempt: 1,
    lease_seq: 0,
    lost_leases: 0,
    lease_worker: null,
    lease_until_ms: null,
    scheduled_ms: unit.nowMs,
    started_ms: null,
    heartbeat_ms: null,
    last_heartbeat: null,
    last_failure: null,
    cancel_requested: false,
    ready_ms: unit.nowMs,
    due_ms: null,
  };
  setDue(step);
  unit.insertStep(run, step);
  return step;
}

/** Gives the step to a worker: under the lease of its run (`granted`), or under its own (`leased`). */
export function beginStep(
  unit: WorkUnit,
  run: RunState,
  step: StepRow,
  worker: string,
  state: 'granted' | 'leased',
): void {
  step.state = state;
  step.lease_seq++;
  step.lease_worker = worker;
  step.lease_until_ms = state === 'leased' ? unit.nowMs + leaseMsOf(step) : null;
  step.started_ms = unit.nowMs;
  step.heartbeat_ms = unit.nowMs;
  step.ready_ms = null;
  setDue(step);
  unit.changedStep(run, step);
  if (step.attempt === 1 && step.lost_leases === 0) unit.publish(run, stepStarted(step));
}

/** Steps with heartbeats of their own say how rare they may be; the worker renews the leases of all others. */
function leaseMsOf({ options }: StepRow): number {
  return Math.max(LEASE_MS, options.heartbeat_ms ?? 0);
}

/** Whether the lease of a run lasts long enough for the step. */
export const mayBeGranted = (step: StepRow): boolean => leaseMsOf(step) === LEASE_MS;

/** Moves a granted step to a lease of its own; worker and token stay the same. */
export function moveToOwnLease(unit: WorkUnit, run: RunState, step: StepRow): void {
  step.state = 'leased';
  step.lease_until_ms = unit.nowMs + leaseMsOf(step);
  setDue(step);
  unit.changedStep(run, step);
}

export function renewStep(unit: WorkUnit, run: RunState, step: StepRow, details: Json | undefined): void {
  step.heartbeat_ms = unit.nowMs;
  if (details !== undefined) step.last_heartbeat = details;
  if (step.state === 'leased') step.lease_until_ms = unit.nowMs + leaseMsOf(step);
  setDue(step);
  unit.changedStep(run, step);
}

/** Makes the step ready for any worker from a time on; its previous worker gets `stale`. */
export function offer(unit: WorkUnit, run: RunState, step: StepRow, fromMs: number): void {
  step.state = fromMs > unit.nowMs ? 'waiting' : 'ready';
  step.lease_seq++;
  step.lease_worker = null;
  step.lease_until_ms = null;
  step.started_ms = null;
  step.heartbeat_ms = null;
  step.ready_ms = fromMs;
  setDue(step);
  unit.changedStep(run, step);
}

/** The step of a token among the open steps of its run, if its lease is still valid. */
export function findHeld(steps: ReadonlyMap<number, StepRow>, token: string): StepRow | undefined {
  const named = parseStepToken(token);
  const step = named && steps.get(named.scheduledEventId);
  const isHeld = step && step.lease_seq === named.leaseSeq && (step.state === 'granted' || step.state === 'leased');
  return isHeld ? step : undefined;
}

/** Ends an attempt and returns the events for the history; none when the step is retried. */
export function finishAttempt(unit: WorkUnit, run: RunState, step: StepRow, outcome: StepResult): Ending[] {
  if ('result' in outcome) {
    unit.publish(run, stepCompleted(step, outcome.result));
    return endStep(unit, run, step, 'ACTIVITY_TASK_COMPLETED', { result: outcome.result });
  }
  if ('cancelled' in outcome) {
    // No cancellation was requested: the worker is shutting down, so another one takes the step.
    if (!step.cancel_requested) {
      offer(unit, run, step, unit.nowMs);
      return [];
    }
    unit.publish(run, stepFailed(step, { message: 'The step was cancelled.', type: 'Cancelled' }, false));
    return endStep(unit, run, step, 'ACTIVITY_TASK_CANCELED', {});
  }
  return failAttempt(unit, run, step, outcome.failure);
}

export function failAttempt(
  unit: WorkUnit,
  run: RunState,
  step: StepRow,
  failure: Failure,
  timeoutType?: string,
): Ending[] {
  const delayMs = retryDelay(step, failure);
  const { total_timeout_ms } = step.options;
  const isTooLate =
    delayMs !== undefined &&
    total_timeout_ms !== undefined &&
    unit.nowMs + delayMs >= step.scheduled_ms + total_timeout_ms;
  if (delayMs !== undefined && !isTooLate && !step.cancel_requested) {
    unit.publish(run, stepFailed(step, failure, true));
    step.attempt++;
    step.lost_leases = 0;
    step.last_failure = failure;
    offer(unit, run, step, unit.nowMs + delayMs);
    return [];
  }
  return failStep(unit, run, step, failure, timeoutType);
}

export function failStep(
  unit: WorkUnit,
  run: RunState,
  step: StepRow,
  failure: Failure,
  timeoutType?: string,
): Ending[] {
  unit.publish(run, stepFailed(step, failure, false));
  const { attempt } = step;
  return timeoutType === undefined
    ? endStep(unit, run, step, 'ACTIVITY_TASK_FAILED', { failure: failure as Json, attempt })
    : endStep(unit, run, step, 'ACTIVITY_TASK_TIMED_OUT', {
        timeout_type: timeoutType,
        failure: failure as Json,
        attempt,
      });
}

function endStep(
  unit: WorkUnit,
  run: RunState,
  step: StepRow,
  type: Ending['type'],
  attributes: Record<string, Json>,
): Ending[] {
  const { scheduled_event_id, attempt, last_failure } = step;
  const activity_id = String(step.seq);
  unit.deleteStep(run, step);
  const started = {
    scheduled_event_id,
    activity_id,
    attempt,
    ...(last_failure ? { last_failure: last_failure as Json } : {}),
  };
  return [
    { type: 'ACTIVITY_TASK_STARTED', attributes: started },
    { type, attributes: { scheduled_event_id, started_event_id: 0, activity_id, ...attributes } },
  ];
}

function retryDelay({ attempt, options: { retry } }: StepRow, failure: Failure): number | undefined {
  const isLast = retry.max_attempts > 0 && attempt >= retry.max_attempts;
  if (isLast || failure.non_retryable || isNamed(retry, failure)) return undefined;
  return Math.min(retry.initial_interval_ms * retry.backoff ** (attempt - 1), retry.max_interval_ms);
}

function isNamed({ non_retryable_types }: RetryPolicy, { type }: Failure): boolean {
  return type !== undefined && non_retryable_types.includes(type);
}

/** Sets when the engine must look at the step again: lease, timeouts, end of the retry delay. */
export function setDue(step: StepRow): void {
  const { options, started_ms, heartbeat_ms, lease_until_ms, scheduled_ms, ready_ms, state } = step;
  const times = [
    lease_until_ms,
    state === 'waiting' ? ready_ms : null,
    started_ms === null ? null : started_ms + options.timeout_ms,
    heartbeat_ms === null || options.heartbeat_ms === undefined ? null : heartbeat_ms + options.heartbeat_ms,
    options.total_timeout_ms === undefined ? null : scheduled_ms + options.total_timeout_ms,
  ].filter((time) => time !== null);
  step.due_ms = times.length > 0 ? Math.min(...times) : null;
}
