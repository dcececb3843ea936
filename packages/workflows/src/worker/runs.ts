import type { AnyWorkflow, Log } from '../definitions.ts';
import { isError, NotDeterministic, toFailure } from '../errors.ts';
import type {
  Advance,
  Command,
  Failure,
  HistoryEvent,
  Json,
  QueryTask,
  StepResult,
  StepTask,
  WorkflowTask,
} from '../protocol.ts';
import type { RunInfo } from '../run/active-run.ts';
import { drained } from '../run/drain.ts';
import { Execution } from '../run/execution.ts';
import { isRecorded } from '../run/match-commands.ts';
import { Replay } from '../run/replay.ts';
import { Refused, Unreachable } from './api.ts';
import { AHEAD_MAX, type BegunStep, foreseenTask, isSameStep, stepsToBegin } from './begun-steps.ts';
import { createRunCache, type HotRun } from './run-cache.ts';
import { createLocalRunner } from './run-local-steps.ts';
import type { AdvanceAnswer, Sender } from './sender.ts';
import type { Steps } from './steps.ts';

type Options = {
  workflows: ReadonlyMap<string, AnyWorkflow>;
  sender: Sender;
  steps: Steps;
  readHistory: (runId: string, after: number) => Promise<{ events: HistoryEvent[]; characters: number }>;
  now: () => number;
  logFor: (run: RunInfo) => Log;
  onFree: () => void;
  onTrouble: (error: unknown) => void;
  platform: { url: string; apiKey: string };
  cache: { runsMax: number; charactersMax: number };
};

type Sent = {
  advance: Advance;
  commands: Command[];
  /** Steps that began with the turn; undefined if its events could not be foreseen. */
  begun: BegunStep[] | undefined;
  firstEventId: number;
};

/** Takes turns: for tasks of a poll, for local steps that end, and for tasks in responses of the server. */
export function createRuns(options: Options) {
  const { workflows, sender, steps, now } = options;
  const cache = createRunCache(options.cache);
  const busy = new Set<string>();
  let isDraining = false;
  let whenIdle: (() => void)[] = [];

  /** Tasks of runs that are busy wait until the run is free. */
  const kept = new Map<string, WorkflowTask>();

  function begin(task: WorkflowTask): void {
    if (busy.has(task.run_id)) return void kept.set(task.run_id, task);
    busy.add(task.run_id);
    void take(task, new Map());
  }

  function release(runId: string): void {
    busy.delete(runId);
    const task = kept.get(runId);
    kept.delete(runId);
    const run = cache.peek(runId);
    // A task that arrived during its own turn has nothing new.
    if (task && !(run && run.execution.lastEventId >= task.history_end)) return void begin(task);
    if (run && run.results.length > 0) return void goOn(run);
    options.onFree();
    if (busy.size === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  }

  /** Replays the run to the end of its history and takes the next turn. */
  async function take(task: WorkflowTask, orphans: HotRun['orphans']): Promise<void> {
    let run: HotRun;
    try {
      run = await prepare(task);
    } catch (error) {
      discard(orphans);
      try {
        // Without a response the outcome is unknown: the lease expires, and the turn is repeated.
        if (error instanceof Unreachable) throw error;
        await refuse(task, error);
      } catch (trouble) {
        options.onTrouble(trouble);
        drop(task.run_id);
      }
      return void release(task.run_id);
    }
    run.orphans = orphans;
    await turn(run, task.attempt === 1);
  }

  async function prepare(task: WorkflowTask): Promise<HotRun> {
    let run = cache.get(task.run_id);
    let { history } = task;
    if (!run || run.execution.lastEventId !== task.history_after) {
      run = create(task);
      if (task.history_after !== 0) history = [];
    }
    run.token = task.token;
    cache.put(run);
    for (;;) {
      await run.replay.feed(history);
      if (run.execution.lastEventId >= task.history_end) return run;
      const page = await options.readHistory(task.run_id, run.execution.lastEventId);
      if (page.events.length === 0)
        throw new Error(`The history of run ${task.run_id} ends at ${run.execution.lastEventId}.`);
      cache.weigh(run, page.characters);
      history = page.events;
    }
  }

  function create(task: WorkflowTask): HotRun {
    const workflow = workflows.get(task.workflow_name);
    if (!workflow) throw new Error(`This worker has no workflow "${task.workflow_name}".`);
    const run: HotRun = {
      runId: task.run_id,
      token: task.token,
      rootExecutionId: task.root_execution_id,
      results: [],
      isPlanned: false,
      isInTurn: false,
      unanswered: 0,
      isForeseen: true,
      isLost: false,
      next: undefined,
      orphans: new Map(),
      characters: 0,
      ...open(workflow, task, (error) => {
        if (cache.peek(task.run_id) !== run || busy.has(task.run_id)) return;
        void report(run, error);
      }),
    };
    return run;
  }

  function open(workflow: AnyWorkflow, info: RunInfo, onOutOfTurn: (error: NotDeterministic) => void) {
    const execution = new Execution({ workflow, info, log: options.logFor(info), onOutOfTurn });
    return { execution, replay: new Replay(execution) };
  }

  /**
   * Takes a turn and sends it. Its steps begin at once if the answer can be foreseen, and the run goes on with their
   * results: so quick steps cost no round trip each. Not in a turn that a worker did not survive (`mayGoAhead`): the server
   * then has to know which step it was.
   */
  async function turn(run: HotRun, mayGoAhead = true): Promise<void> {
    const results = run.results.splice(0);
    const base = run.execution.lastEventId;
    const locals = createLocalRunner({ run: run.execution, platform: options.platform, log: run.execution.log });
    let taken: { commands: Command[]; timeMs: number };
    let task_failure: Advance['task_failure'];
    run.isInTurn = true;
    try {
      taken = await run.replay.takeTurn(now(), results.map(toEvent), locals);
      if (!run.execution.hasEnded && !run.execution.isWaiting()) throw stuck(run.execution.workflow.name);
    } catch (error) {
      taken = { commands: [], timeMs: run.execution.nowMs };
      task_failure = describeFailure(error);
    }
    run.isInTurn = false;
    if (run.isLost) {
      sendPending(results);
      return void finish(run);
    }
    const { commands, timeMs } = taken;
    const canGoAhead = mayGoAhead && !isDraining && !task_failure && run.rootExecutionId !== undefined;
    const ahead = canGoAhead ? stepsToBegin(commands, steps.canRun) : undefined;
    run.isForeseen = ahead !== undefined && ahead.length <= steps.free;
    const { first, last } = run.replay.foresee(results.length, commands);
    const sent: Sent = {
      commands,
      begun: undefined,
      firstEventId: first,
      advance: {
        token: run.token,
        run_id: run.runId,
        base,
        time_ms: timeMs,
        step_results: results.map(({ result }) => result as StepResult),
        commands,
        ...(task_failure ? { task_failure } : {}),
        want_steps: isDraining ? 0 : Math.min(count(commands), steps.free),
        release: isDraining || task_failure !== undefined,
      },
    };
    send(run, sent);
    if (run.isForeseen) {
      run.replay.wrote(commands, first, last);
      sent.begun = beginAhead(run, commands, first);
    }
    if (run.results.length > 0) goOn(run);
  }

  function send(run: HotRun, sent: Sent): void {
    run.unanswered++;
    sender.advance(sent.advance).then(
      (answer) => settle(run, sent, answer),
      (error) => giveUp(run, sent, error),
    );
  }

  function settle(run: HotRun, sent: Sent, answer: AdvanceAnswer & { characters: number }): void {
    run.unanswered--;
    cache.weigh(run, answer.characters);
    run.next = answer.next ?? run.next;
    if (answer.status === 'stale' || (sent.begun && answer.first_command_event_id !== sent.firstEventId))
      lose(run, sent);
    else if (sent.begun) for (const begun of sent.begun) confirm(begun);
    else {
      run.replay.wrote(sent.commands, answer.first_command_event_id, answer.last_event_id);
      for (const task of answer.granted) beginStep(run, task, true);
      discard(run.orphans);
    }
    finish(run);
  }

  /** No answer, or a refusal. A refused turn is reported as a failure; otherwise the run would hang silently. */
  function giveUp(run: HotRun, sent: Sent, error: unknown): void {
    run.unanswered--;
    lose(run, sent);
    if (error instanceof Refused && error.status !== 401 && !sent.advance.task_failure) {
      const task_failure = describeFailure(error);
      const failed = { ...sent.advance, commands: [], step_results: [], task_failure, want_steps: 0, release: true };
      return void send(run, { ...sent, advance: failed, begun: undefined });
    }
    options.onTrouble(error);
    finish(run);
  }

  /** The server has other events than this copy of the run. */
  function lose(run: HotRun, { begun }: Sent): void {
    run.isLost = true;
    if (cache.peek(run.runId) === run) drop(run.runId);
    for (const step of begun ?? []) run.orphans.set(step.task.activity_id, step);
  }

  /** Called when a turn has ended or was answered. */
  function finish(run: HotRun): void {
    if (run.unanswered > 0 || run.isInTurn) {
      if (run.results.length > 0) goOn(run);
      return;
    }
    const { runId, next } = run;
    run.next = undefined;
    if (run.execution.hasEnded && cache.peek(runId) === run) drop(runId);
    if (next) return void take(next, run.isLost ? run.orphans : new Map());
    if (run.isLost) discard(run.orphans);
    release(runId);
  }

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
    return begun;
  }

  /** The step began for a turn that was overtaken; the repeated turn asks for it again. */
  function adopt(run: HotRun, step: BegunStep, task: StepTask, isKnown: boolean): BegunStep {
    run.orphans.delete(task.activity_id);
    steps.adopt(step.attempt, task);
    step.attempt.isKnown = isKnown;
    Object.assign(step, { run, task, isUsed: false });
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
    const run = cache.peek(task.run_id);
    const isOwn = attempt.isKnown || step.run === run;
    if (run && isOwn && 'result' in result && !isDraining) {
      step.isUsed = true;
      run.results.push(step);
      goOn(run);
    } else if (attempt.isKnown) sendResult(result);
  }

  /** The server has taken the turn of the step: a result that leads to no turn is sent now. */
  function confirm(step: BegunStep): void {
    step.attempt.isKnown = true;
    if (step.result && !step.isUsed) sendResult(step.result);
  }

  function discard(orphans: HotRun['orphans']): void {
    for (const step of orphans.values()) {
      step.isDiscarded = true;
      steps.discard(step.attempt);
    }
    orphans.clear();
  }

  /** Results of the same tick share one turn. */
  function goOn(run: HotRun): void {
    if (run.isPlanned) return;
    run.isPlanned = true;
    void drained().then(() => {
      run.isPlanned = false;
      if (!canTakeTurn(run)) return;
      busy.add(run.runId);
      void turn(run);
    });
  }

  function canTakeTurn(run: HotRun): boolean {
    if (cache.peek(run.runId) !== run || run.isInTurn || run.next || run.execution.hasEnded) return false;
    return run.unanswered === 0 ? !busy.has(run.runId) : run.isForeseen && run.unanswered < AHEAD_MAX;
  }

  function sendResult(result: StepResult): void {
    sender.result(result).catch(options.onTrouble);
  }

  /** Sends pending results without a turn; the server notifies the next lease holder. */
  function drop(runId: string): void {
    sendPending(cache.remove(runId)?.results.splice(0) ?? []);
  }

  /** What the server has not heard of waits for the repeated turn. */
  function sendPending(pending: BegunStep[]): void {
    for (const { result, attempt } of pending) if (result && attempt.isKnown) sendResult(result);
  }

  /** The history does not match the code, or cannot be read. */
  async function refuse(task: WorkflowTask, error: unknown): Promise<void> {
    drop(task.run_id);
    if (!isError(error, 'NotDeterministic')) options.onTrouble(error);
    await sender.advance({
      token: task.token,
      run_id: task.run_id,
      base: task.history_end,
      time_ms: now(),
      step_results: [],
      commands: [],
      task_failure: describeFailure(error),
      want_steps: 0,
      release: true,
    });
  }

  /** The code continued outside of a turn, so its state is no longer deterministic. */
  async function report(run: HotRun, error: Error): Promise<void> {
    run.execution.log.error(error.message);
    try {
      // Rejected if the run is not leased; then its next turn fails in the same way.
      const { status } = await sender.advance({
        token: run.token,
        run_id: run.runId,
        base: run.execution.lastEventId,
        time_ms: now(),
        step_results: [],
        commands: [],
        task_failure: describeFailure(error),
        want_steps: 0,
        release: true,
      });
      if (status === 'ok') drop(run.runId);
    } catch (trouble) {
      options.onTrouble(trouble);
    }
  }

  /** Answers from the cached run if it is idle, else from a replay for this query alone. */
  async function query(task: QueryTask): Promise<Json> {
    const hot = cache.get(task.run_id);
    if (hot && !busy.has(task.run_id)) return hot.execution.handlers.query(task.name, task.input);
    const workflow = workflows.get(task.workflow_name);
    if (!workflow) throw new Error(`This worker has no workflow "${task.workflow_name}".`);
    const { execution, replay } = open(workflow, task, () => undefined);
    for (let isMore = true; isMore; ) {
      const { events } = await options.readHistory(task.run_id, execution.lastEventId);
      await replay.feed(events);
      isMore = events.length > 0;
    }
    return execution.handlers.query(task.name, task.input);
  }

  return {
    begin,
    runStep: (task: StepTask) => void steps.run(task, true, sendResult),
    query,
    get busy() {
      return busy.size;
    },
    get cached() {
      return cache.size;
    },
    drain(): Promise<void> {
      isDraining = true;
      return busy.size === 0 ? Promise.resolve() : new Promise((resolve) => void whenIdle.push(resolve));
    },
  };
}

function toEvent({ task, result }: BegunStep): HistoryEvent {
  const { result: value = null } = result as { result?: Json };
  const attributes = { scheduled_event_id: task.scheduled_event_id, result: value };
  return { id: 0, type: 'ACTIVITY_TASK_COMPLETED', time_ms: 0, attributes };
}

function count(commands: Command[]): number {
  return commands.reduce((sum, { type }) => (type === 'schedule_step' ? sum + 1 : sum), 0);
}

function describeFailure(error: unknown): Failure & { nondeterministic?: boolean } {
  return { ...toFailure(error), ...(isError(error, 'NotDeterministic') ? { nondeterministic: true } : {}) };
}

function stuck(workflow: string): NotDeterministic {
  return new NotDeterministic(
    `The workflow "${workflow}" waits for something that no history records (a request, a file, a timer of its own). ` +
      'Put it into a step and wait for ctx.step(…) instead.',
  );
}
