import type { Command, StepResult, StepTask } from '../protocol.ts';
import type { HotRun } from './run-cache.ts';
import type { StepAttempt } from './step-attempt.ts';

/** A step that runs here, or ran. The server may not have heard of it yet (`attempt.isKnown`). */
export type BegunStep = {
  /** The copy of its run that asked for it. */
  run: HotRun;
  task: StepTask;
  /** Its input as JSON: the step may have changed what it was given. */
  input: string;
  attempt: StepAttempt;
  result: StepResult | undefined;
  /** Whether the result goes with a turn. */
  isUsed: boolean;
  isDiscarded: boolean;
};

/** At most so many turns of a run are taken before the server has answered the first. */
export const AHEAD_MAX = 32;

type ScheduleStep = Extract<Command, { type: 'schedule_step' }>;

/** Commands that only append their own event: the ids of what follows are then known. */
const ALONE: ReadonlySet<Command['type']> = new Set([
  'schedule_step',
  'start_timer',
  'record_marker',
  'complete_update',
  'upsert_search_keys',
  'emit',
]);

/** The steps of a turn that can begin before the server answers; undefined if it may answer with something unforeseen. */
export function stepsToBegin(
  commands: readonly Command[],
  canRun: (name: string) => boolean,
): ScheduleStep[] | undefined {
  const steps: ScheduleStep[] = [];
  for (const command of commands) {
    if (!ALONE.has(command.type)) return undefined;
    if (command.type !== 'schedule_step') continue;
    // Only the server can count what all workers do.
    if (command.options.rate_limit || !canRun(command.name)) return undefined;
    steps.push(command);
  }
  return steps;
}

/** What the server would send for the step. */
export function foreseenTask(run: HotRun, { seq, name, input, options }: ScheduleStep, eventId: number): StepTask {
  const { info } = run.execution;
  return {
    token: `${run.runId}.${eventId}.1`,
    execution_id: info.execution_id,
    run_id: run.runId,
    root_execution_id: run.rootExecutionId ?? info.execution_id,
    workflow_name: info.workflow_name,
    scheduled_event_id: eventId,
    activity_id: String(seq),
    name,
    input,
    attempt: 1,
    timeout_ms: options.timeout_ms,
    ...(options.heartbeat_ms === undefined ? {} : { heartbeat_ms: options.heartbeat_ms }),
    lease_until_ms: 0,
  };
}

/** Whether a step that began for a turn that the server rejected is the one that its repetition asks for. */
export function isSameStep(begun: BegunStep | undefined, { name }: StepTask, input: string): begun is BegunStep {
  return begun?.task.name === name && begun.input === input;
}
