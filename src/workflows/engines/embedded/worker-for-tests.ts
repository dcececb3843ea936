import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  Advance,
  AdvanceResponse,
  Command,
  CustomTaskEvent,
  Failure,
  HistoryEvent,
  Json,
  StepOptions,
  StepResult,
  StepTask,
  WorkflowTask,
} from '../../../../packages/workflows/src/protocol.ts';
import type { WorkerPort } from './worker-port.ts';

export type Step = (input: Json[], task: StepTask) => Promise<Json> | Json;
export type Workflow = (ctx: Context, input: Json) => Promise<Json>;
export type Code = { workflows: Record<string, Workflow>; steps: Record<string, Step> };

type Waiting = { resolve: (value: Json) => void; reject: (failure: Failed) => void };

export class Failed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

class ContinuedAsNew extends Error {
  readonly input: Json;

  constructor(input: Json) {
    super('continued as new');
    this.input = input;
  }
}

export const stepOptions = (options: Partial<StepOptions> = {}): StepOptions => ({
  retry: { max_attempts: 3, initial_interval_ms: 10, backoff: 2, max_interval_ms: 1000, non_retryable_types: [] },
  timeout_ms: 60_000,
  ...options,
});

/** What scripted workflow code can do. */
export type Context = {
  now(): number;
  step(name: string, input?: Json[], options?: Partial<StepOptions>): Promise<Json> & { cancel(): void };
  sleep(ms: number): Promise<Json> & { cancel(): void };
  child(name: string, input: Json, options?: Partial<Extract<Command, { type: 'start_child' }>>): Promise<Json>;
  /** The next signal of this name that was not taken yet. */
  signal(name: string): Promise<Json>;
  onUpdate(name: string, handler: (input: Json) => Promise<Json> | Json): void;
  cancelled(): Promise<Json>;
  continueAsNew(input: Json): never;
  emit(event: CustomTaskEvent): void;
  command(command: Command): void;
};

/** One run in a worker's memory: the code, suspended where it waits. */
class Replay {
  readonly #waiting = new Map<string, Waiting>();
  readonly #signals = new Map<string, { inbox: Json[]; takers: ((value: Json) => void)[] }>();
  readonly #updates = new Map<string, (input: Json) => Promise<Json> | Json>();
  #commands: Command[] = [];
  #seq = 0;
  #emitted = 0;
  #nowMs = 0;
  #isReplaying = false;
  lastEventId = 0;
  queries = 0;

  start(workflow: Workflow, input: Json): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    void promise
      .then(() => workflow(this.#context(), input))
      .then(
        (result) => this.#commands.push({ type: 'complete', result }),
        (error) => this.#commands.push(endOf(error)),
      );
    resolve();
  }

  async take(workflow: Workflow, events: HistoryEvent[]): Promise<void> {
    let since: HistoryEvent[] = [];
    for (const [i, event] of events.entries()) {
      if (event.id <= this.lastEventId) continue;
      since.push(event);
      this.lastEventId = event.id;
      if (event.type !== 'WORKFLOW_TASK_STARTED' || events[i + 1]?.type !== 'WORKFLOW_TASK_COMPLETED') continue;
      this.#isReplaying = true;
      await this.turn(workflow, since, event.time_ms);
      this.#isReplaying = false;
      since = [];
    }
    this.#pending = since;
  }

  #pending: HistoryEvent[] = [];

  /** The turn that nobody has taken yet. */
  async takeNew(workflow: Workflow, results: { task: StepTask; result: Json }[], timeMs: number): Promise<Command[]> {
    const pending = this.#pending;
    this.#pending = [];
    for (const { task, result } of results)
      pending.push({
        id: 0,
        type: 'ACTIVITY_TASK_COMPLETED',
        time_ms: 0,
        attributes: { activity_id: task.activity_id, result },
      });
    return this.turn(workflow, pending, timeMs);
  }

  async turn(workflow: Workflow, events: HistoryEvent[], timeMs: number): Promise<Command[]> {
    this.#nowMs = timeMs;
    this.#commands = [];
    for (const event of events) this.#apply(workflow, event);
    await nextTurn();
    return this.#commands;
  }

  #apply(workflow: Workflow, { type, attributes }: HistoryEvent): unknown {
    const failure = () => new Failed((attributes.failure ?? { message: type }) as Failure);
    switch (type) {
      case 'WORKFLOW_EXECUTION_STARTED':
        return this.start(workflow, attributes.input ?? null);
      case 'ACTIVITY_TASK_COMPLETED':
        return this.#settle(`step ${attributes.activity_id}`, (waiting) => waiting.resolve(attributes.result ?? null));
      case 'ACTIVITY_TASK_FAILED':
      case 'ACTIVITY_TASK_TIMED_OUT':
      case 'ACTIVITY_TASK_CANCELED':
        return this.#settle(`step ${attributes.activity_id}`, (waiting) => waiting.reject(failure()));
      case 'TIMER_FIRED':
        return this.#settle(`timer ${attributes.timer_id}`, (waiting) => waiting.resolve(null));
      case 'CHILD_WORKFLOW_EXECUTION_STARTED':
        return this.#settle(`started ${attributes.seq}`, (waiting) => waiting.resolve(attributes.execution_id ?? null));
      case 'CHILD_WORKFLOW_EXECUTION_COMPLETED':
        return this.#settle(`child ${attributes.seq}`, (waiting) => waiting.resolve(attributes.result ?? null));
      case 'START_CHILD_WORKFLOW_EXECUTION_FAILED':
      case 'CHILD_WORKFLOW_EXECUTION_FAILED':
      case 'CHILD_WORKFLOW_EXECUTION_CANCELED':
      case 'CHILD_WORKFLOW_EXECUTION_TERMINATED':
      case 'CHILD_WORKFLOW_EXECUTION_TIMED_OUT':
        this.#settle(`started ${attributes.seq}`, (waiting) => waiting.reject(failure()));
        return this.#settle(`child ${attributes.seq}`, (waiting) => waiting.reject(failure()));
      case 'WORKFLOW_EXECUTION_SIGNALED': {
        const box = this.#box(String(attributes.signal_name));
        const taker = box.takers.shift();
        if (taker) taker(attributes.input ?? null);
        else box.inbox.push(attributes.input ?? null);
        return;
      }
      case 'WORKFLOW_EXECUTION_CANCEL_REQUESTED':
        return this.#settle('cancel', (waiting) => waiting.resolve(attributes.reason ?? null));
      case 'WORKFLOW_EXECUTION_UPDATE_ADMITTED':
        void this.#update(String(attributes.update_id), String(attributes.update_name), attributes.input ?? null);
    }
  }

  async #update(update_id: string, name: string, input: Json): Promise<void> {
    try {
      const result = await this.#updates.get(name)?.(input);
      this.#commands.push({ type: 'complete_update', update_id, result: result ?? null });
    } catch (error) {
      this.#commands.push({ type: 'complete_update', update_id, failure: { message: String(error) } });
    }
  }

  #settle(key: string, act: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (waiting) act(waiting);
  }

  #wait(key: string): Promise<Json> {
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    promise.catch(() => undefined);
    this.#waiting.set(key, { resolve, reject });
    return promise;
  }

  #box(name: string) {
    const box = this.#signals.get(name) ?? { inbox: [], takers: [] };
    this.#signals.set(name, box);
    return box;
  }

  #context(): Context {
    return {
      now: () => this.#nowMs,
      step: (name, input = [], options = {}) => {
        const seq = ++this.#seq;
        this.#commands.push({ type: 'schedule_step', seq, name, input, options: stepOptions(options) });
        const cancel = () => void this.#commands.push({ type: 'cancel_step', seq });
        return Object.assign(this.#wait(`step ${seq}`), { cancel });
      },
      sleep: (ms) => {
        const seq = ++this.#seq;
        this.#commands.push({ type: 'start_timer', seq, fire_in_ms: ms });
        const cancel = () => void this.#commands.push({ type: 'cancel_timer', seq });
        return Object.assign(this.#wait(`timer ${seq}`), { cancel });
      },
      child: (workflow_name, input, options = {}) => {
        const seq = ++this.#seq;
        const command = { workflow_name, input, wait: true, parent_close_policy: 'terminate' as const, ...options };
        this.#commands.push({ ...command, type: 'start_child', seq });
        return this.#wait(command.wait ? `child ${seq}` : `started ${seq}`);
      },
      signal: (name) => {
        const box = this.#box(name);
        if (box.inbox.length > 0) return Promise.resolve(box.inbox.shift() as Json);
        return new Promise((resolve) => box.takers.push(resolve));
      },
      onUpdate: (name, handler) => void this.#updates.set(name, handler),
      cancelled: () => this.#wait('cancel'),
      continueAsNew: (input) => {
        throw new ContinuedAsNew(input);
      },
      emit: (event) => {
        const key = `e${++this.#emitted}`;
        if (!this.#isReplaying) this.#commands.push({ type: 'emit', key, event });
      },
      command: (command) => void this.#commands.push(command),
    };
  }
}

function endOf(error: unknown): Command {
  if (error instanceof ContinuedAsNew) return { type: 'continue_as_new', input: error.input };
  if (error instanceof Failed && error.failure.type === 'Cancelled') return { type: 'cancelled' };
  return { type: 'fail', failure: error instanceof Failed ? error.failure : { message: String(error) } };
}

export type TestWorker = {
  /** Asks once, does all it is given, and what follows from it; returns how many turns and steps that were. */
  work(waitMs?: number): Promise<number>;
  /** Works until `stop`. */
  run(): void;
  stop(): Promise<void>;
};

export type TestWorkerOptions = {
  port: Pick<WorkerPort, 'poll' | 'advance' | 'historyPage' | 'answerQueries'>;
  workspaceId: string;
  name?: string;
  deployment?: string;
  code: Code;
  now: () => number;
  wantSteps?: number;
  /** Called before each report to the server; may throw, as a worker that dies there. */
  before?: (what: 'poll' | 'advance') => void;
};

/** A small worker over the port: what the package's worker does, as far as the engine's tests need it. */
export function createTestWorker(options: TestWorkerOptions): TestWorker {
  const { port, workspaceId, code, now, wantSteps = 10, before } = options;
  const ids = { deployment_name: options.deployment ?? 'main', worker_name: options.name ?? 'worker-1' };
  const cached = new Map<string, Replay>();
  const stop = new AbortController();
  let running: Promise<void> | undefined;

  async function takeTurn(task: WorkflowTask): Promise<number> {
    const workflow = code.workflows[task.workflow_name] as Workflow;
    let replay = cached.get(task.run_id);
    let history = task.history;
    if (!replay || task.history_after !== replay.lastEventId) {
      replay = new Replay();
      history = task.history_after === 0 ? history : [];
    }
    for (let last = history.at(-1)?.id ?? task.history_after; last < task.history_end || history.length === 0; ) {
      const more = await port.historyPage(workspaceId, task.run_id, history.at(-1)?.id ?? 0);
      if (more.length === 0) break;
      history = [...history, ...more.filter(({ id }) => id <= task.history_end)];
      last = history.at(-1)?.id ?? 0;
    }
    cached.set(task.run_id, replay);
    await replay.take(workflow, history);
    return advance(task, replay, []);
  }

  async function advance(
    task: WorkflowTask,
    replay: Replay,
    results: { task: StepTask; result: Json }[],
  ): Promise<number> {
    const workflow = code.workflows[task.workflow_name] as Workflow;
    const time_ms = now();
    const commands = await replay.takeNew(workflow, results, time_ms);
    const request: Advance = {
      token: task.token,
      run_id: task.run_id,
      base: replay.lastEventId,
      time_ms,
      step_results: results.map(({ task: { token }, result }) => ({ token, result })),
      commands,
      want_steps: wantSteps,
      release: false,
    };
    const answer = await send(request);
    if (answer.status === 'stale') {
      cached.delete(task.run_id);
      return 1 + (answer.next ? await takeTurn(answer.next) : 0);
    }
    replay.lastEventId = answer.last_event_id;
    return 1 + (await goOn(task, replay, answer));
  }

  async function goOn(
    task: WorkflowTask,
    replay: Replay,
    answer: Extract<AdvanceResponse['advances'][number], { status: 'ok' }>,
  ): Promise<number> {
    let count = 0;
    const done: { task: StepTask; result: Json }[] = [];
    for (const step of answer.granted) {
      const outcome = await runStep(step);
      count++;
      if ('result' in outcome && !answer.next) done.push({ task: step, result: outcome.result });
      else await report(outcome);
    }
    if (answer.next) return count + (await takeTurn(answer.next));
    return done.length > 0 ? count + (await advance(task, replay, done)) : count;
  }

  async function runStep(task: StepTask): Promise<StepResult> {
    try {
      return { token: task.token, result: (await code.steps[task.name]?.(task.input, task)) ?? null };
    } catch (error) {
      if (error instanceof Failed && error.failure.type === 'Cancelled') return { token: task.token, cancelled: true };
      return { token: task.token, failure: error instanceof Failed ? error.failure : { message: String(error) } };
    }
  }

  async function send(advance: Advance): Promise<AdvanceResponse['advances'][number]> {
    before?.('advance');
    const { advances } = await port.advance(workspaceId, { ...ids, advances: [advance], steps: [] });
    return advances[0] as AdvanceResponse['advances'][number];
  }

  async function report(result: StepResult): Promise<void> {
    before?.('advance');
    await port.advance(workspaceId, { ...ids, advances: [], steps: [result] });
  }

  async function work(waitMs = 1): Promise<number> {
    before?.('poll');
    const request = {
      ...ids,
      max_workflow_tasks: 100,
      max_step_tasks: 100,
      workflows: Object.keys(code.workflows),
      steps: Object.keys(code.steps),
      wait_ms: waitMs,
    };
    const mail = await port.poll(workspaceId, request, stop.signal);
    const turns = mail.workflow_tasks.map(takeTurn);
    const steps = mail.step_tasks.map(async (task) => {
      await report(await runStep(task));
      return 1;
    });
    const answers = mail.queries.map(({ query_id, name, input }) => ({ query_id, result: { name, input } }));
    if (answers.length > 0) await port.answerQueries(workspaceId, { answers });
    const counts = await Promise.all([...turns, ...steps]);
    return counts.reduce((sum, count) => sum + count, answers.length);
  }

  return {
    work,
    run() {
      running ??= (async () => {
        while (!stop.signal.aborted) await work(10_000);
      })();
    },
    async stop() {
      stop.abort();
      await running;
    },
  };
}
