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
import { Replay } from '../run/replay.ts';
import { Refused, Unreachable } from './api.ts';
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

/** Takes turns: for tasks of a poll, for local steps that end, and for tasks in responses of the server. */
export function createRuns(options: Options) {
  const { workflows, sender, steps, now } = options;
  const cache = createRunCache(options.cache);
  const busy = new Set<string>();
  let isDraining = false;
  let whenIdle: (() => void)[] = [];

  /** Tasks of runs that are busy wait until the run is free. */
  const kept = new Map<string, WorkflowTask>();

  async function begin(task: WorkflowTask): Promise<void> {
    if (busy.has(task.run_id)) return void kept.set(task.run_id, task);
    busy.add(task.run_id);
    try {
      await take(task);
    } catch (error) {
      options.onTrouble(error);
      drop(task.run_id);
    } finally {
      release(task.run_id);
    }
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
  async function take(task: WorkflowTask): Promise<void> {
    let next: WorkflowTask | undefined = task;
    while (next) {
      const current: WorkflowTask = next;
      let run: HotRun | undefined;
      try {
        run = await prepare(current);
      } catch (error) {
        // Without a response the outcome is unknown: the lease expires, and the turn is repeated.
        if (error instanceof Unreachable) throw error;
        return void (await refuse(current, error));
      }
      next = await turn(run);
    }
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

  function create(info: RunInfo & { token?: string }): HotRun {
    const workflow = workflows.get(info.workflow_name);
    if (!workflow) throw new Error(`This worker has no workflow "${info.workflow_name}".`);
    const run: HotRun = {
      runId: info.run_id,
      token: info.token ?? '',
      results: [],
      isPlanned: false,
      characters: 0,
      ...open(workflow, info, (error) => {
        if (cache.peek(info.run_id) !== run || busy.has(info.run_id)) return;
        void report(run, error);
      }),
    };
    return run;
  }

  function open(workflow: AnyWorkflow, info: RunInfo, onOutOfTurn: (error: NotDeterministic) => void) {
    const execution = new Execution({ workflow, info, log: options.logFor(info), onOutOfTurn });
    return { execution, replay: new Replay(execution) };
  }

  /** Sends one turn; returns the next task if the response has one. */
  async function turn(run: HotRun): Promise<WorkflowTask | undefined> {
    const results = run.results.splice(0);
    const base = run.execution.lastEventId;
    const locals = createLocalRunner({ run: run.execution, platform: options.platform, log: run.execution.log });
    let taken: { commands: Command[]; timeMs: number };
    let task_failure: Advance['task_failure'];
    try {
      taken = await run.replay.takeTurn(now(), results.map(toEvent), locals);
      if (!run.execution.hasEnded && !run.execution.isWaiting()) throw stuck(run.execution.workflow.name);
    } catch (error) {
      taken = { commands: [], timeMs: run.execution.nowMs };
      task_failure = describeFailure(error);
    }
    const { commands, timeMs } = taken;
    const advance: Advance = {
      token: run.token,
      run_id: run.runId,
      base,
      time_ms: timeMs,
      step_results: results.map(({ result }) => result),
      commands,
      ...(task_failure ? { task_failure } : {}),
      want_steps: isDraining ? 0 : Math.min(count(commands), steps.free),
      release: isDraining || task_failure !== undefined,
    };
    const answer = await sender.advance(advance).catch((error) => {
      if (!(error instanceof Refused) || error.status === 401 || task_failure) throw error;
      // A rejected turn is reported as a failure; otherwise the run would hang silently.
      task_failure = describeFailure(error);
      return sender.advance({ ...advance, commands: [], step_results: [], task_failure, want_steps: 0, release: true });
    });
    cache.weigh(run, answer.characters);
    if (answer.status === 'stale' || task_failure || run.execution.hasEnded) drop(run.runId);
    return settle(run, commands, answer);
  }

  function settle(run: HotRun, commands: Command[], answer: AdvanceAnswer): WorkflowTask | undefined {
    if (answer.status === 'stale') return answer.next;
    run.replay.wrote(commands, answer.first_command_event_id, answer.last_event_id);
    for (const task of answer.granted) runStep(task);
    return answer.next;
  }

  /** A granted step: its successful result is sent with the next turn, if the run is still cached. */
  function runStep(task: StepTask): void {
    steps.run(task, (result) => {
      const run = cache.peek(task.run_id);
      if (!run || !('result' in result) || isDraining) return sendResult(result);
      run.results.push({ task, result });
      if (!busy.has(run.runId)) goOn(run);
    });
  }

  /** Results of the same tick share one turn. */
  function goOn(run: HotRun): void {
    if (run.isPlanned) return;
    run.isPlanned = true;
    void drained().then(async () => {
      run.isPlanned = false;
      if (busy.has(run.runId)) return;
      busy.add(run.runId);
      try {
        const next = await turn(run);
        if (next) await take(next);
      } catch (error) {
        options.onTrouble(error);
        drop(run.runId);
      } finally {
        release(run.runId);
      }
    });
  }

  function sendResult(result: StepResult): void {
    sender.result(result).catch(options.onTrouble);
  }

  /** Sends pending results without a turn; the server notifies the next lease holder. */
  function drop(runId: string): void {
    const run = cache.remove(runId);
    for (const { result } of run?.results.splice(0) ?? []) sendResult(result);
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
    runStep: (task: StepTask) => steps.run(task, sendResult),
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

function toEvent({ task, result }: HotRun['results'][number]): HistoryEvent {
  const attributes = { scheduled_event_id: task.scheduled_event_id, result: result.result };
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
