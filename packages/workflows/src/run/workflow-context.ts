import type { AnyStep, Log, Step, StepSettings } from '../define-step.ts';
import { toStepOptions } from '../define-step.ts';
import type { AnyWorkflow, CallShape, Calls, SignalShape, Signals, Workflow } from '../define-workflow.ts';
import { ContinueAsNew, TimedOut } from '../errors.ts';
import type { Json } from '../protocol.ts';
import type { InputOf, OutputOf, Schema } from '../schema.ts';
import { toJson } from '../to-json.ts';
import { type AgentCall, type AgentResult, runAgent } from './agent.ts';
import type { Execution } from './execution.ts';
import { type ChatCall, type ChatResult, chatStep } from './model-turn.ts';
import { type ProgressTask, startProgressTask, type Widen } from './progress-task.ts';
import { Scope } from './scope.ts';

type SignalInput<Shape> = Shape extends { '~standard': unknown }
  ? OutputOf<Shape>
  : Shape extends { input: infer S }
    ? OutputOf<S>
    : unknown;
type CallInput<Shape extends CallShape | undefined> = Shape extends { input: infer S } ? OutputOf<S> : unknown;
type CallOutput<Shape extends CallShape | undefined> = Shape extends { output: infer S } ? InputOf<S> : unknown;

export type ChildOptions = {
  /** The child's own id; without one the server makes it. */
  executionId?: string;
  /** Where its workers are, if it is not unambiguous. */
  deployment?: string;
  /** What becomes of it when this execution ends. Default `terminate`, for a child that is not waited for `abandon`. */
  parentClosePolicy?: 'terminate' | 'abandon' | 'request_cancel';
};

export type RunDescription = {
  executionId: string;
  runId: string;
  workflow: string;
  startedAt: Date;
  /** Grows with each retry of the whole execution; 1 at first. */
  attempt: number;
  scheduleId: string | undefined;
};

/** What workflow code has: everything in it is the same on replay. */
export type WorkflowContext<S extends Signals = Signals, Q extends Calls = Calls, U extends Calls = Calls> = {
  readonly info: RunDescription;
  readonly log: Log;

  /** Runs a step on any worker and waits for its result. `settings` are for this call only. */
  step<In, Out>(step: Step<In, Out>, ...given: StepArguments<In>): Promise<Out>;
  /** Runs something short right here, without a task of its own: no heartbeats, seconds at most. */
  local<In, Out>(step: Step<In, Out>, ...given: undefined extends In ? [input?: In] : [input: In]): Promise<Out>;

  sleep(ms: number): Promise<void>;
  /** Until the condition holds; false if the time ran out before. It is looked at whenever the code has moved on. */
  waitFor(condition: () => boolean, options?: { timeoutMs?: number }): Promise<boolean>;

  /** Each signal of this name, also those that came before; the handler may wait. */
  onSignal<Name extends keyof S & string>(name: Name, handler: (input: SignalInput<S[Name]>) => unknown): void;
  /** The oldest signal of this name that nobody has taken, or the next; undefined if the time ran out. */
  receive<Name extends keyof S & string>(name: Name): Promise<SignalInput<S[Name]>>;
  receive<Name extends keyof S & string>(
    name: Name,
    options: { timeoutMs: number },
  ): Promise<SignalInput<S[Name]> | undefined>;
  onQuery<Name extends keyof Q & string>(name: Name, handler: (input: CallInput<Q[Name]>) => CallOutput<Q[Name]>): void;
  onUpdate<Name extends keyof U & string>(
    name: Name,
    handler: (input: CallInput<U[Name]>) => CallOutput<U[Name]> | Promise<CallOutput<U[Name]>>,
  ): void;

  /** Starts another workflow and waits for its result. */
  child<In, Out>(workflow: Workflow<In, Out> | string, input: In, options?: ChildOptions): Promise<Out>;
  /** Starts another workflow and goes on. */
  startChild<In, Out>(
    workflow: Workflow<In, Out> | string,
    input: In,
    options?: ChildOptions,
  ): Promise<{ executionId: string; runId: string }>;
  /** Sends a signal to another execution of the workspace. */
  signal(executionId: string, name: string, input?: unknown): Promise<void>;
  /** Ends this run and goes on in a new one with an empty history. Nothing after it runs. */
  continueAsNew(input: unknown, options?: { workflow?: AnyWorkflow | string }): never;
  /** How long the history is, and whether it is time for `continueAsNew`. */
  readonly historyLength: number;
  readonly shouldContinueAsNew: boolean;

  /** The time of this turn. */
  now(): Date;
  random(): number;
  uuid(): string;

  /** A progress stream; with code it ends when the code ends, in the same way. */
  task<State extends Json>(type: string, state: State): ProgressTask<Widen<State>>;
  task<State extends Json, T>(
    type: string,
    state: State,
    code: (task: ProgressTask<Widen<State>>) => Promise<T>,
  ): Promise<T>;
  /** Asks a person, and waits for the answer. Throws `TimedOut` when nobody answered in time. */
  waitForInput<I extends Schema>(schema: I, label?: string, options?: { timeoutMs?: number }): Promise<OutputOf<I>>;

  /** Whether the execution, or the scope around this code, was cancelled. */
  readonly isCancelled: boolean;
  /** Code that a cancellation does not reach: clean-up. */
  nonCancellable<T>(code: () => Promise<T>): Promise<T>;
  /** Code that can be cancelled by itself; `cancel` rejects what waits in it with `Cancelled`. */
  cancellable<T>(code: (cancel: (reason?: string) => void) => Promise<T>): Promise<T>;
  /** Code with a time of its own; when it is over, what waits in it is cancelled and `TimedOut` is thrown. */
  withTimeout<T>(ms: number, code: () => Promise<T>): Promise<T>;

  /** True in runs that reach this place for the first time with this code, false in those that passed it with older code. */
  patched(id: string): boolean;
  /** Values under which the list of runs finds this execution; null takes one away. */
  setSearchKeys(keys: Record<string, string | null>): void;

  /** One turn of a model as a step of its own; its tokens go to the event stream as a task of type `token`. */
  chat(call: ChatCall): Promise<ChatResult>;
  /** Turns of a model and calls of tools, each a step of its own, until the model has an answer. */
  agent(call: AgentCall): Promise<AgentResult>;
};

type StepCall = Omit<StepSettings, 'input'>;
type StepArguments<In> = undefined extends In
  ? [input?: In, settings?: StepCall]
  : unknown extends In
    ? [input?: In, settings?: StepCall]
    : [input: In, settings?: StepCall];

type Loose = WorkflowContext<Record<string, SignalShape>, Record<string, CallShape>, Record<string, CallShape>>;

export function createWorkflowContext(execution: Execution): WorkflowContext {
  const { handlers, inputs, info } = execution;

  function startTimer(ms: number): { promise: Promise<unknown>; drop(): void } {
    let seq = 0;
    const cancel = () => ({ type: 'cancel_timer' as const, seq });
    const promise = execution.ask(
      (given) => {
        seq = given;
        return { type: 'start_timer', seq, fire_in_ms: Math.max(0, Math.ceil(ms)) };
      },
      { kind: 'timer', name: 'timer', cancel },
    );
    return {
      promise,
      drop() {
        if (!execution.open.has(seq)) return;
        execution.push(cancel());
        execution.settle(seq, { value: undefined });
      },
    };
  }

  /** The first of both; the other is dropped. */
  async function within<T>(
    what: { promise: Promise<T>; drop(): void },
    timeoutMs?: number,
  ): Promise<{ value: T } | undefined> {
    if (timeoutMs === undefined) return { value: await what.promise };
    const timer = startTimer(timeoutMs);
    const first = await Promise.race([what.promise.then((value) => ({ value })), timer.promise.then(() => undefined)]);
    if (first) timer.drop();
    else what.drop();
    return first;
  }

  function startChild(
    workflow: AnyWorkflow | string,
    input: unknown,
    { executionId, deployment, parentClosePolicy }: ChildOptions,
    wait: boolean,
  ): Promise<Json | undefined> {
    const name = typeof workflow === 'string' ? workflow : workflow.name;
    return guarded(() =>
      execution.ask(
        (seq) => ({
          type: 'start_child',
          seq,
          workflow_name: name,
          input: toJson(input),
          wait,
          parent_close_policy: parentClosePolicy ?? (wait ? 'terminate' : 'abandon'),
          ...(executionId === undefined ? {} : { execution_id: executionId }),
          ...(deployment === undefined ? {} : { deployment_name: deployment }),
        }),
        { kind: 'child', name, until: wait ? 'ended' : 'started', cancel: (seq) => ({ type: 'cancel_child', seq }) },
      ),
    );
  }

  /** Nothing new begins in a scope that was cancelled. */
  async function guarded<T>(begin: () => Promise<T>): Promise<T> {
    execution.mustBeInTurn();
    execution.here().scope.throwIfCancelled();
    return begin();
  }

  function callStep(step: AnyStep, input: unknown, settings?: StepCall): Promise<Json | undefined> {
    return guarded(() =>
      execution.ask(
        (seq) => ({
          type: 'schedule_step',
          seq,
          name: step.name,
          input: input === undefined ? [] : [toJson(input)],
          options: settings ? toStepOptions(step.name, { ...step.settings, ...settings }) : step.options,
        }),
        { kind: 'step', name: step.name, cancel: (seq) => ({ type: 'cancel_step', seq }) },
      ),
    );
  }

  const context = {
    info: describe(execution),
    log: execution.log,
    step: callStep,
    local: (step: AnyStep, input?: unknown) =>
      guarded(() =>
        execution.ask(
          (seq) => {
            const given = input === undefined ? [] : [toJson(input)];
            execution.locals.set(seq, { seq, step, input: given, where: execution.here() });
            return undefined;
          },
          { kind: 'local', name: step.name },
        ),
      ),
    sleep: async (ms: number) => void (await guarded(() => startTimer(ms).promise)),
    waitFor: (condition: () => boolean, { timeoutMs }: { timeoutMs?: number } = {}) =>
      guarded(async () => condition() || (await within(execution.waitUntil(condition), timeoutMs)) !== undefined),
    onSignal: handlers.onSignal,
    onQuery: handlers.onQuery,
    onUpdate: handlers.onUpdate,
    receive: (name: string, { timeoutMs }: { timeoutMs?: number } = {}) =>
      guarded(async () => (await within(handlers.receive(name), timeoutMs))?.value),
    child: (workflow: AnyWorkflow | string, input: unknown, options: ChildOptions = {}) =>
      startChild(workflow, input, options, true),
    async startChild(workflow: AnyWorkflow | string, input: unknown, options: ChildOptions = {}) {
      const started = (await startChild(workflow, input, options, false)) as { execution_id: string; run_id: string };
      return { executionId: started.execution_id, runId: started.run_id };
    },
    signal: async (executionId: string, name: string, input?: unknown) =>
      void (await guarded(() =>
        execution.ask(
          (seq) => ({ type: 'signal_execution', seq, execution_id: executionId, name, input: toJson(input) }),
          { kind: 'signal', name },
        ),
      )),
    continueAsNew(input: unknown, { workflow }: { workflow?: AnyWorkflow | string } = {}): never {
      throw new ContinueAsNew(input, typeof workflow === 'object' ? workflow.name : workflow);
    },
    get historyLength() {
      return execution.historyLength;
    },
    get shouldContinueAsNew() {
      return execution.shouldContinueAsNew;
    },
    now: () => new Date(execution.nowMs),
    random: () => execution.random.next(),
    uuid: () => execution.random.uuid(),
    task<State extends Json, T>(type: string, state: State, code?: (task: ProgressTask<Widen<State>>) => Promise<T>) {
      const task = startProgressTask(
        { id: execution.ownRandom.uuid(), type, tell: (event) => execution.emit(event) },
        state,
      );
      return code ? endWith(task, code) : task;
    },
    waitForInput: (schema: Schema, label?: string, { timeoutMs }: { timeoutMs?: number } = {}) =>
      guarded(() => inputs.ask(schema, label, timeoutMs === undefined ? undefined : () => startTimer(timeoutMs))),
    get isCancelled() {
      return execution.here().scope.isCancelled;
    },
    nonCancellable: <T>(code: () => Promise<T>) => execution.inScope(new Scope(execution.here().scope, true), code),
    async cancellable<T>(code: (cancel: (reason?: string) => void) => Promise<T>) {
      const scope = new Scope(execution.here().scope);
      const cancel = (reason = 'The scope was cancelled.') => scope.cancel(reason);
      return execution.inScope(scope, () => code(cancel)).finally(() => scope.close());
    },
    async withTimeout<T>(ms: number, code: () => Promise<T>): Promise<T> {
      const scope = new Scope(execution.here().scope);
      const timer = startTimer(ms);
      const late = new TimedOut(`It took longer than ${ms} ms.`);
      let isLate = false;
      timer.promise.then(
        () => {
          isLate = !hasEnded;
          if (isLate) scope.cancel(late.message);
        },
        () => undefined,
      );
      let hasEnded = false;
      try {
        return await execution.inScope(scope, code);
      } catch (error) {
        throw isLate ? late : error;
      } finally {
        hasEnded = true;
        scope.close();
        timer.drop();
      }
    },
    patched: (id: string) => execution.patched(id),
    setSearchKeys: (keys: Record<string, string | null>) => execution.push({ type: 'upsert_search_keys', keys }),
    chat: (call: ChatCall) => callStep(chatStep, call) as unknown as Promise<ChatResult>,
    agent: (call: AgentCall) => runAgent(context as unknown as Loose, call),
  };
  return context as unknown as WorkflowContext;

  function describe({ started }: Execution): RunDescription {
    const attributes = started?.attributes ?? {};
    return {
      executionId: info.execution_id,
      runId: info.run_id,
      workflow: info.workflow_name,
      startedAt: new Date(started?.time_ms ?? 0),
      attempt: Number(attributes.attempt ?? 1),
      scheduleId: attributes.schedule_id == null ? undefined : String(attributes.schedule_id),
    };
  }
}

async function endWith<State, T>(
  task: ProgressTask<State>,
  code: (task: ProgressTask<State>) => Promise<T>,
): Promise<T> {
  try {
    const result = await code(task);
    task.complete();
    return result;
  } catch (error) {
    if ((error as Error)?.name === 'Cancelled') task.cancel((error as Error).message);
    else task.fail(error);
    throw error;
  }
}
