import { isError, NotDeterministic, toFailure } from '../errors.ts';
import type { Advance, Command, Failure, HistoryEvent, Json } from '../protocol.ts';
import type { BegunStep } from './hot-run.ts';

/** The result of a step, as the history will show it. */
export function toEvent({ task, result }: BegunStep): HistoryEvent {
  const { result: value = null } = result as { result?: Json };
  const attributes = { scheduled_event_id: task.scheduled_event_id, result: value };
  return { id: 0, type: 'ACTIVITY_TASK_COMPLETED', time_ms: 0, attributes };
}

export function countSteps(commands: Command[]): number {
  return commands.reduce((sum, { type }) => (type === 'schedule_step' ? sum + 1 : sum), 0);
}

export function describeFailure(error: unknown): Failure & { nondeterministic?: boolean } {
  return { ...toFailure(error), ...(isError(error, 'NotDeterministic') ? { nondeterministic: true } : {}) };
}

export function stuck(workflow: string): NotDeterministic {
  return new NotDeterministic(
    `The workflow "${workflow}" waits for something that no history records (a request, a file, a timer of its own). ` +
      'Put it into a step and wait for ctx.step(…) instead.',
  );
}

/** The turn has failed after all; the results of steps still count. */
export function withoutCommands(advance: Advance, error: unknown): Advance {
  return { ...advance, commands: [], task_failure: describeFailure(error), want_steps: 0, release: true };
}

/** A turn that could not be taken. */
export function failedTurn(
  of: Pick<Advance, 'token' | 'run_id' | 'base' | 'time_ms'>,
  error: unknown,
): Advance & { task_failure: Failure } {
  const { token, run_id, base, time_ms } = of;
  const task_failure = describeFailure(error);
  return { token, run_id, base, time_ms, step_results: [], commands: [], task_failure, want_steps: 0, release: true };
}
