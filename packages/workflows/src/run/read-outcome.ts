import { Cancelled, ChildFailed, SignalFailed, StepFailed } from '../errors.ts';
import type { Failure, HistoryEvent, Json } from '../protocol.ts';
import type { OpenCommand, Outcome } from './open-commands.ts';

const CANCELLED: Failure = { message: 'it was cancelled', type: 'Cancelled' };
const TERMINATED: Failure = { message: 'it was terminated', type: 'Terminated' };
const TIMED_OUT: Failure = { message: 'it ran out of time', type: 'TimedOut' };

/** The outcome of an open command; undefined if the event does not end it. */
export function readOutcome({ name, until }: OpenCommand, { type, attributes }: HistoryEvent): Outcome | undefined {
  const failure = attributes.failure as unknown as Failure | undefined;
  const attempt = Number(attributes.attempt ?? 1);
  switch (type) {
    case 'ACTIVITY_TASK_COMPLETED':
    case 'CHILD_WORKFLOW_EXECUTION_COMPLETED':
      return { value: attributes.result ?? null };
    case 'ACTIVITY_TASK_FAILED':
      return { error: new StepFailed(name, attempt, failure ?? { message: 'it failed' }) };
    case 'ACTIVITY_TASK_TIMED_OUT':
      return {
        error: new StepFailed(
          name,
          attempt,
          failure ?? { ...TIMED_OUT, message: timeoutWords(attributes.timeout_type) },
        ),
      };
    case 'ACTIVITY_TASK_CANCELED':
      return { error: new Cancelled(`The step "${name}" was cancelled.`) };
    case 'CHILD_WORKFLOW_EXECUTION_STARTED':
      if (until !== 'started') return undefined;
      return { value: { execution_id: attributes.execution_id ?? null, run_id: attributes.run_id ?? null } };
    case 'START_CHILD_WORKFLOW_EXECUTION_FAILED':
      return { error: new ChildFailed(name, failure ?? { message: 'it could not be started' }) };
    case 'CHILD_WORKFLOW_EXECUTION_FAILED':
      return { error: new ChildFailed(name, failure ?? { message: 'it failed' }) };
    case 'CHILD_WORKFLOW_EXECUTION_CANCELED':
      return { error: new ChildFailed(name, CANCELLED) };
    case 'CHILD_WORKFLOW_EXECUTION_TERMINATED':
      return { error: new ChildFailed(name, TERMINATED) };
    case 'CHILD_WORKFLOW_EXECUTION_TIMED_OUT':
      return { error: new ChildFailed(name, TIMED_OUT) };
    case 'EXTERNAL_WORKFLOW_EXECUTION_SIGNALED':
      return { value: undefined };
    case 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED':
      return { error: new SignalFailed(failure?.message ?? `The signal "${name}" could not be delivered.`) };
    default:
      return undefined;
  }
}

function timeoutWords(type: Json | undefined): string {
  return type === 'HEARTBEAT' ? 'nothing was heard of it for too long' : 'it ran out of time';
}
