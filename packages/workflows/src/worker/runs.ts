import type { AnyWorkflow, Log } from '../definitions.ts';
import { isError, type NotDeterministic } from '../errors.ts';
import type {
  Advance,
  Command,
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
import { Replay } from '../run/replay.ts';
import { Refused, Unreachable } from './api.ts';
import { AHEAD_MAX, createBegunSteps, stepsToBegin } from './begun-steps.ts';
import type { BegunStep, HotRun } from './hot-run.ts';
import { createRunCache } from './run-cache.ts';
import { createLocalRunner } from './run-local-steps.ts';
import type { AdvanceAnswer, Sender } from './sender.ts';
import type { Steps } from './steps.ts';
import { countSteps, describeFailure, failedTurn, stuck, toEvent, withoutCommands } from './turn-messages.ts';

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
  const begun = createBegunSteps({
    steps,
    sender,
    findRun: cache.peek,
    isDraining: () => isDraining,
    onResult: goOn,
    onTrouble: options.onTrouble,
  });
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
      begun.discard(orphans);
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
    const { seqOfEvent } = run.execution;
    begun.reclaim(orphans, (step) => seqOfEvent.get(step.scheduled_event_id) === Number(step.activity_id));
    run.orphans = orphans;
    await turn(run, task.attempt === 1).catch((error) => fail(run, error));
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
      begun: new Set(),
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
   * results: so quick steps cost no round trip each. Only while nothing else can move the run: what comes between would
   * give later steps other numbers, and so other idempotency keys. Not in a turn that a worker did not survive
   * (`mayGoAhead`): the server then has to know which step it was.
   */
  async function turn(run: HotRun, mayGoAhead = true): Promise<void> {
    const results = run.results.splice(0);
    for (const step of results) run.begun.delete(step);
    const base = run.execution.lastEventId;
    const { execution, rootExecutionId = execution.info.execution_id } = run;
    const locals = createLocalRunner({
      run: execution,
      rootExecutionId,
      platform: options.platform,
      log: execution.log,
    });
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
      begun.sendPending(results);
      return void finish(run);
    }
    const { commands, timeMs } = taken;
    const canGoAhead = mayGoAhead && !isDraining && !task_failure && run.rootExecutionId !== undefined;
    const ahead = canGoAhead ? stepsToBegin(commands, steps.mayBeginAhead) : undefined;
    run.isForeseen =
      ahead !== undefined && ahead.length <= steps.free && run.execution.waitsOnlyFor(run.begun.size + ahead.length);
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
        want_steps: isDraining ? 0 : Math.min(countSteps(commands), steps.free),
        release: isDraining || task_failure !== undefined,
      },
    };
    send(run, sent);
    if (run.isForeseen) {
      run.replay.wrote(commands, first, last);
      sent.begun = begun.beginAhead(run, commands, first);
    }
    if (run.results.length > 0) goOn(run);
  }

  /** Sends it unless the code turns out to have left an error unhandled in the turn: then the turn has failed. */
  function send(run: HotRun, sent: Sent): void {
    run.unanswered++;
    sender
      .advance(sent.advance, () => {
        const { fatal } = run.execution;
        if (fatal && !sent.advance.task_failure) sent.advance = withoutCommands(sent.advance, fatal);
        return sent.advance;
      })
      .then(
        (answer) => settle(run, sent, answer),
        (error) => giveUp(run, sent, error),
      )
      .catch((error) => fail(run, error));
  }

  /** A mistake of the worker itself: the lease expires, and the turn is repeated from the history. */
  function fail(run: HotRun, error: unknown): void {
    options.onTrouble(error);
    run.isLost = true;
    if (cache.peek(run.runId) === run) drop(run.runId);
    release(run.runId);
  }

  function settle(run: HotRun, sent: Sent, answer: AdvanceAnswer & { characters: number }): void {
    run.unanswered--;
    cache.weigh(run, answer.characters);
    run.next = answer.next ?? run.next;
    if (answer.status === 'stale' || (sent.begun && answer.first_command_event_id !== sent.firstEventId))
      lose(run, sent);
    else if (sent.begun) for (const step of sent.begun) begun.confirm(step);
    else {
      run.replay.wrote(sent.commands, answer.first_command_event_id, answer.last_event_id);
      begun.beginGranted(run, answer.granted);
    }
    finish(run);
  }

  /** No answer, or a refusal. A refused turn is reported as a failure; otherwise the run would hang silently. */
  function giveUp(run: HotRun, sent: Sent, error: unknown): void {
    run.unanswered--;
    lose(run, sent);
    if (error instanceof Refused && error.status !== 401 && !sent.advance.task_failure) {
      return void send(run, { ...sent, advance: failedTurn(sent.advance, error), begun: undefined });
    }
    options.onTrouble(error);
    finish(run);
  }

  /** The server has other events than this copy of the run. */
  function lose(run: HotRun, sent: Sent): void {
    run.isLost = true;
    if (cache.peek(run.runId) === run) drop(run.runId);
    for (const step of sent.begun ?? []) run.orphans.set(step.task.activity_id, step);
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
    if (run.isLost) begun.reclaim(run.orphans, () => true);
    release(runId);
  }

  /** Results of the same tick share one turn. */
  function goOn(run: HotRun): void {
    if (run.isPlanned) return;
    run.isPlanned = true;
    void drained().then(() => {
      run.isPlanned = false;
      if (!canTakeTurn(run)) return;
      busy.add(run.runId);
      turn(run).catch((error) => fail(run, error));
    });
  }

  function canTakeTurn(run: HotRun): boolean {
    if (cache.peek(run.runId) !== run || run.isInTurn || run.next || run.execution.hasEnded) return false;
    return run.unanswered === 0 ? !busy.has(run.runId) : run.isForeseen && run.unanswered < AHEAD_MAX;
  }

  /** Sends pending results without a turn; the server notifies the next lease holder. */
  function drop(runId: string): void {
    begun.sendPending(cache.remove(runId)?.results.splice(0) ?? []);
  }

  /** The history does not match the code, or cannot be read. */
  async function refuse(task: WorkflowTask, error: unknown): Promise<void> {
    drop(task.run_id);
    if (!isError(error, 'NotDeterministic')) options.onTrouble(error);
    await sender.advance(failedTurn({ ...task, base: task.history_end, time_ms: now() }, error));
  }

  /** The code continued outside of a turn, so its state is no longer deterministic. */
  async function report(run: HotRun, error: Error): Promise<void> {
    run.execution.log.error(error.message);
    try {
      // Rejected if the run is not leased; then its next turn fails in the same way.
      const of = { token: run.token, run_id: run.runId, base: run.execution.lastEventId, time_ms: now() };
      const { status } = await sender.advance(failedTurn(of, error));
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
    runStep: (task: StepTask) => void steps.run(task, true, begun.sendResult),
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
