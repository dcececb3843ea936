import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import type { Failure, FailureDetails, StepOptions } from '../protocol.ts';

export function toApplicationFailure(failure: Failure, attempt?: number, nonRetryable = true): ApplicationFailure {
  const details: FailureDetails = { failure, ...(attempt === undefined ? {} : { attempt }) };
  return ApplicationFailure.create({
    message: failure.message,
    type: failure.type ?? 'Error',
    nonRetryable,
    details: [details],
  });
}

type StepEnd = { failure: Failure; attempt: number; isCancelled: boolean; isTimeout: boolean };

/** The failure of an activity, as the embedded engine reports it. */
export function readStepFailure(error: unknown, name: string, options: StepOptions): StepEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const end = { attempt: 1, isCancelled: false, isTimeout: false };
  if (cause instanceof CancelledFailure)
    return { ...end, failure: { message: 'The step was cancelled.', type: 'Cancelled' }, isCancelled: true };
  if (cause instanceof TimeoutFailure) {
    const isLast = error instanceof ActivityFailure && error.retryState === 'MAXIMUM_ATTEMPTS_REACHED';
    const attempt = isLast ? Math.max(1, options.retry.max_attempts) : 1;
    return { ...end, failure: stepTimeout(name, options, cause.timeoutType), attempt, isTimeout: true };
  }
  const details = detailsOf(cause);
  return { ...end, failure: details?.failure ?? plain(cause), attempt: details?.attempt ?? 1 };
}

/** A worker without heartbeats for this long loses its steps; it sends one every second. */
export const HEARTBEAT_MS = 15_000;

export function stepTimeout(name: string, options: StepOptions, type: string | undefined): Failure {
  const { timeout_ms, heartbeat_ms = HEARTBEAT_MS, total_timeout_ms } = options;
  const words = {
    HEARTBEAT: `The step '${name}' sent no heartbeat for ${heartbeat_ms} ms.`,
    SCHEDULE_TO_CLOSE: `The step '${name}' was not done after ${total_timeout_ms} ms in all.`,
  } as Record<string, string>;
  const message = words[type ?? ''] ?? `An attempt of the step '${name}' was not done after ${timeout_ms} ms.`;
  return { message, type: 'StepTimeout' };
}

/** The failure of a child, as the embedded engine reports it. */
export function readChildFailure(error: unknown): Failure {
  const cause = error instanceof ChildWorkflowFailure || error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof CancelledFailure) return { message: 'it was cancelled', type: 'Cancelled' };
  if (cause instanceof TerminatedFailure) return { message: 'it was terminated', type: 'Terminated' };
  if (cause instanceof TimeoutFailure) return { message: 'it ran out of time', type: 'TimedOut' };
  return detailsOf(cause)?.failure ?? plain(cause);
}

function detailsOf(cause: unknown): FailureDetails | undefined {
  const [details] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  const isOurs = typeof details === 'object' && details !== null && 'failure' in details;
  return isOurs ? (details as FailureDetails) : undefined;
}

function plain(cause: unknown): Failure {
  if (!(cause instanceof Error)) return { message: String(cause), type: 'Error' };
  const type = cause instanceof ApplicationFailure ? (cause.type ?? 'Error') : cause.name;
  return { message: cause.message, type };
}
