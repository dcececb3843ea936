import { toStepOptions } from '../define-step.ts';
import type {
  AgentCall,
  AnyStep,
  AnyWorkflow,
  ChatCall,
  ChatResult,
  ChildOptions,
  ConnectorCall,
  ConnectorResult,
  ProgressTask,
  StepCall,
  Widen,
  WorkflowContext,
} from '../definitions.ts';
import { ContinueAsNew, TimedOut } from '../errors.ts';
import type { Json } from '../protocol.ts';
import type { Schema } from '../schema.ts';
import { toJson } from '../to-json.ts';
import type { ActiveRun } from './active-run.ts';
import { runAgent } from './agent.ts';
import { connectorStep } from './connector-tool.ts';
import type { Handlers } from './handlers.ts';
import { chatStep } from './model-turn.ts';
import type { Inputs } from './pending-inputs.ts';
import { startProgressTask } from './progress-task.ts';
import { Scope } from './scope.ts';

export function createWorkflowContext(execution: ActiveRun & { handlers: Handlers; inputs: Inputs }): WorkflowContext {
  const { handlers, inputs, info, started } = execution;
  const { attempt, schedule_id } = started?.attributes ?? {};

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

  /** Settles with the first of both. */
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

  /** Throws in a cancelled scope. */
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
    info: {
      executionId: info.execution_id,
      runId: info.run_id,
      workflow: info.workflow_name,
      startedAt: new Date(started?.time_ms ?? 0),
      attempt: Number(attempt ?? 1),
      scheduleId: schedule_id == null ? undefined : String(schedule_id),
    },
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
        { id: execution.ownRandom.uuid(), type, emit: (event) => execution.emit(event) },
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
    callTool: (call: ConnectorCall, settings?: StepCall) =>
      callStep(connectorStep, call, settings) as unknown as Promise<ConnectorResult>,
    agent: (call: AgentCall) => runAgent(context as unknown as WorkflowContext, call),
  };
  return handleWhenMade(context) as unknown as WorkflowContext;
}

/** Code may await a promise later than it is rejected, or never; it must not be an unhandled rejection meanwhile. */
function handleWhenMade(context: Record<string, unknown>): Record<string, unknown> {
  for (const [name, call] of Object.entries(context))
    if (typeof call === 'function')
      context[name] = (...given: unknown[]) => {
        const result: unknown = call(...given);
        if (result instanceof Promise) result.catch(ignore);
        return result;
      };
  return context;
}

const ignore = () => undefined;

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
