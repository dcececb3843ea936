import type { Command, Json, StepResult, StepTask } from '../protocol.ts';
import { isRecorded } from '../run/match-commands.ts';
import type { BegunStep, HotRun } from './hot-run.ts';
import type { Sender } from './sender.ts';
import type { Steps } from './steps.ts';

/** At most so many turns of a run are taken before the server has answered the first. */
export const AHEAD_MAX = 32;

type Options = {
  steps: Steps;
  sender: Sender;
  /** The copy of the run that is in use, if there is one. */
  findRun: (runId: string) => HotRun | undefined;
  isDraining: () => boolean;
  /** A result waits for the run's next turn. */
  onResult: (run: HotRun) => void;
  onTrouble: (error: unknown) => void;
};

/** The steps that runs have begun here, and the way of their results. */
export function createBegunSteps({ steps, sender, findRun, isDraining, onResult, onTrouble }: Options) {
  /** Begins the steps of a turn before the server has heard of it. */
  function beginAhead(run: HotRun, commands: Command[], firstEventId: number): BegunStep[] {
    const begun: BegunStep[] = [];
    let eventId = firstEventId;
    for (const command of commands) {
      if (command.type === 'schedule_step') begun.push(beginStep(run, foreseenTask(run, command, eventId), false));
      if (isRecorded(command)) eventId++;
    }
    discard(run.orphans);
    return begun;
  }

  function beginStep(run: HotRun, given: StepTask, isKnown: boolean): BegunStep {
    const input = JSON.stringify(given.input);
    const orphan = run.orphans.get(given.activity_id);
    if (isSameStep(orphan, given, input)) return adopt(run, orphan, given, isKnown);
    // A copy: the workflow may still have the original.
    const task: StepTask = isKnown ? given : { ...given, input: JSON.parse(input) as Json[] };
    const attempt = steps.run(task, isKnown, (result) => {
      begun.result = result;
      deliver(begun);
    });
    const begun: BegunStep = { run, task, input, attempt, result: undefined, isUsed: false, isDiscarded: false };
    run.begun.add(begun);
    return begun;
  }

  /** The step began for a turn that was overtaken; the repeated turn asks for it again. */
  function adopt(run: HotRun, step: BegunStep, task: StepTask, isKnown: boolean): BegunStep {
    run.orphans.delete(task.activity_id);
    steps.adopt(step.attempt, task);
    step.attempt.isKnown = isKnown;
    Object.assign(step, { run, task, isUsed: false });
    run.begun.add(step);
    if (step.result) {
      step.result = { ...step.result, token: task.token };
      deliver(step);
    }
    return step;
  }

  /** A success is sent with the turn it leads to, if the run is still cached. */
  function deliver(step: BegunStep): void {
    const { result, attempt, task } = step;
    if (!result || step.isDiscarded) return;
    // The server decides what becomes of a failure: another worker may try again.
    if (!('result' in result)) step.run.begun.delete(step);
    const run = findRun(task.run_id);
    const isOwn = attempt.isKnown || step.run === run;
    if (run && isOwn && 'result' in result && !isDraining()) {
      step.isUsed = true;
      run.results.push(step);
      onResult(run);
    } else if (attempt.isKnown) sendResult(result);
  }

  /** The server has taken the turn of the step: a result that leads to no turn is sent now. */
  function confirm(step: BegunStep): void {
    step.attempt.isKnown = true;
    if (step.result && !step.isUsed) sendResult(step.result);
  }

  /** The server knows the step after all, or may know it: an answer was lost. Then its token holds, and else it gets `stale`. */
  function reclaim(orphans: HotRun['orphans'], isKnown: (task: StepTask) => boolean): void {
    for (const [id, step] of orphans) {
      if (!isKnown(step.task)) continue;
      orphans.delete(id);
      step.isUsed = false;
      step.attempt.isKnown = true;
      deliver(step);
    }
  }

  function discard(orphans: HotRun['orphans']): void {
    for (const step of orphans.values()) {
      step.isDiscarded = true;
      steps.discard(step.attempt);
    }
    orphans.clear();
  }

  function sendResult(result: StepResult): void {
    sender.result(result).catch(onTrouble);
  }

  /** What the server has not heard of waits for the repeated turn. */
  function sendPending(pending: BegunStep[]): void {
    for (const { result, attempt } of pending) if (result && attempt.isKnown) sendResult(result);
  }

  return {
    beginAhead,
    beginGranted: (run: HotRun, tasks: StepTask[]) => {
      for (const task of tasks) beginStep(run, task, true);
      discard(run.orphans);
    },
    confirm,
    reclaim,
    discard,
    sendResult,
    sendPending,
  };
}

type ScheduleStep = Extract<Command, { type: 'schedule_step' }>;

/** Commands that only append their own event, and after which nothing else than steps can move the run. */
const ALONE: ReadonlySet<Command['type']> = new Set(['schedule_step', 'record_marker', 'upsert_search_keys', 'emit']);

/** The steps of a turn that can begin before the server answers; undefined if it may answer with something unforeseen. */
export function stepsToBegin(
  commands: readonly Command[],
  mayBegin: (name: string) => boolean,
): ScheduleStep[] | undefined {
  const steps: ScheduleStep[] = [];
  for (const command of commands) {
    if (!ALONE.has(command.type)) return undefined;
    if (command.type !== 'schedule_step') continue;
    // Only the server can count what all workers do.
    if (command.options.rate_limit || !mayBegin(command.name)) return undefined;
    steps.push(command);
  }
  return steps;
}

/** What the server would send for the step. */
function foreseenTask(run: HotRun, { seq, name, input, options }: ScheduleStep, eventId: number): StepTask {
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
function isSameStep(begun: BegunStep | undefined, { name }: StepTask, input: string): begun is BegunStep {
  return begun?.task.name === name && begun.input === input;
}
