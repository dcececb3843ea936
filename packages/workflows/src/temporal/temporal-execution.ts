import {
  ActivityCancellationType,
  type ActivityOptions,
  CancellationScope,
  CancelledFailure,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  makeContinueAsNewFunc,
  proxySinks,
  scheduleActivity,
  scheduleLocalActivity,
  sleep,
  patched as temporalPatched,
  workflowInfo,
} from '@temporalio/workflow';
import type { AnyWorkflow } from '../definitions.ts';
import { Cancelled, StepFailed } from '../errors.ts';
import type { Command, Failure, Json, StartMemo, StepOptions } from '../protocol.ts';
import type { LocalStep } from '../run/active-run.ts';
import { Execution } from '../run/execution.ts';
import type { Outcome } from '../run/open-commands.ts';
import { where } from '../run/scope.ts';
import { HEARTBEAT_MS, readStepFailure, toApplicationFailure } from './read-failures.ts';
import type { OurSinks, StepMeta } from './sinks.ts';
import { startChildOn } from './start-child.ts';

/** The same limit as on the embedded engine. */
const LOCAL_MS_MAX = 2000;

const { tramontane } = proxySinks<OurSinks>();

/** A run in Temporal's isolate: the same code and context as on the embedded engine, with commands sent to Temporal. */
export class TemporalExecution extends Execution {
  /** The result of the author's code, and so of the Temporal workflow function. */
  readonly ended: Promise<Json>;
  /** Scopes by seq: cancelling one cancels the activity, timer or child. */
  readonly #running = new Map<number, CancellationScope>();
  readonly #updates = new Map<string, (outcome: { result: Json } | { failure: Failure }) => void>();
  readonly #resolve: (result: Json) => void;
  readonly #reject: (error: unknown) => void;
  #keys = 0;
  #emits = 0;

  constructor(workflow: AnyWorkflow) {
    const { workflowId, workflowType } = workflowInfo();
    const runId = runIdOf();
    const logAt = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, attributes?: object) =>
      tramontane.log(runId, level, message, attributes);
    super({
      workflow,
      info: { execution_id: workflowId, run_id: runId, workflow_name: workflowType },
      log: { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
      onOutOfTurn: () => undefined,
    });
    const ended = Promise.withResolvers<Json>();
    this.ended = ended.promise;
    this.#resolve = ended.resolve;
    this.#reject = ended.reject;
    Object.defineProperties(this, {
      nowMs: { get: () => Date.now() },
      historyLength: { get: () => workflowInfo().historyLength },
    });
  }

  override get shouldContinueAsNew(): boolean {
    return workflowInfo().continueAsNewSuggested;
  }

  start(input: Json): void {
    const { firstExecutionRunId, continuedFromExecutionRunId, attempt, memo, runStartTime } = workflowInfo();
    const { schedule_id } = (memo ?? {}) as StartMemo;
    tramontane.report('started', { type: 'started' });
    this.begin({
      id: 1,
      type: 'WORKFLOW_EXECUTION_STARTED',
      time_ms: runStartTime.getTime(),
      attributes: {
        input,
        attempt,
        first_run_id: firstExecutionRunId,
        ...(continuedFromExecutionRunId === undefined ? {} : { continued_run_id: continuedFromExecutionRunId }),
        ...(schedule_id === undefined ? {} : { schedule_id }),
      },
    });
  }

  /** The result of an update's handler. */
  update(id: string, name: string, input: Json): Promise<Json> {
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    this.#updates.set(id, (outcome) => {
      if ('failure' in outcome) reject(toApplicationFailure(outcome.failure));
      else resolve(outcome.result);
    });
    this.handlers.update({ id, name, input });
    // After the microtasks, handlers that the code registers in this turn are known.
    void Promise.resolve().then(() => this.handlers.refuseUnknownUpdates());
    return promise;
  }

  /** In an isolate, code can only wait for what Temporal records. */
  override mustBeInTurn(): void {}

  override patched(id: string): boolean {
    return temporalPatched(id);
  }

  override waitUntil(check: () => boolean): { promise: Promise<Json | undefined>; drop: () => void } {
    const scope = new CancellationScope({ cancellable: true });
    const here = this.here();
    const drop = () => scope.cancel();
    const promise = this.wait((settle) => {
      scope
        .run(() => condition(() => where.run(here, check)))
        .then(
          () => settle({ value: true }),
          (error) => {
            if (!isCancellation(error)) settle({ error });
          },
        );
    }, drop);
    return { promise, drop };
  }

  override ask(...given: Parameters<Execution['ask']>): Promise<Json | undefined> {
    const before = new Set(this.locals.keys());
    const promise = super.ask(...given);
    for (const [seq, local] of this.locals) if (!before.has(seq)) this.#runLocal(seq, local);
    return promise;
  }

  override push(command: Command): void {
    if (!this.hasEnded) this.#perform(command);
  }

  #perform(command: Command): void {
    switch (command.type) {
      case 'schedule_step':
        this.#runStep(command);
        break;
      case 'start_timer':
        this.launch(command.seq, async () => {
          await sleep(Math.max(1, command.fire_in_ms));
          return undefined;
        });
        break;
      case 'start_child':
        startChildOn(this, command);
        break;
      case 'cancel_step':
      case 'cancel_timer':
      case 'cancel_child':
        this.#running.get(command.seq)?.cancel();
        break;
      case 'signal_execution':
        this.#signal(command);
        break;
      // Temporal records patches and local activities itself.
      case 'record_marker':
        break;
      case 'complete_update':
        this.#completeUpdate(command);
        break;
      case 'upsert_search_keys':
        tramontane.report(`k${++this.#keys}`, { type: 'search_keys', keys: command.keys });
        break;
      case 'emit':
        tramontane.report(`e${++this.#emits}`, { type: 'custom_task', event: command.event });
        break;
      default:
        this.#finish(command);
    }
  }

  #finish(command: Extract<Command, { type: 'complete' | 'fail' | 'cancelled' | 'continue_as_new' }>): void {
    tramontane.report('ended', { type: 'ended' });
    if (command.type === 'complete') this.#resolve(command.result);
    else if (command.type === 'fail') this.#reject(toApplicationFailure(command.failure));
    else if (command.type === 'cancelled')
      this.#reject(new CancelledFailure(command.reason ?? 'The execution was cancelled.'));
    else {
      const { workflow_name, input } = command;
      const go = makeContinueAsNewFunc(workflow_name === undefined ? {} : { workflowType: workflow_name });
      go(input).catch(this.#reject);
    }
  }

  /** Runs a Temporal operation for a command and settles the command with its outcome. */
  launch(
    seq: number,
    begin: () => Promise<Json | undefined>,
    readError: (error: unknown) => Outcome = (error) => ({ error: error as Error }),
  ): void {
    const scope = new CancellationScope({ cancellable: true });
    this.#running.set(seq, scope);
    scope
      .run(begin)
      .then((value): Outcome => ({ value }), readError)
      .then((outcome) => {
        this.#running.delete(seq);
        this.settle(seq, outcome);
      });
  }

  #runStep({ seq, name, input, options }: Extract<Command, { type: 'schedule_step' }>): void {
    const begin = () => scheduleActivity<Json>(name, [this.meta(), ...input], activityOptions(seq, options));
    this.launch(seq, begin, (error) => {
      const { failure, attempt, isCancelled } = readStepFailure(error, name, options);
      tramontane.report(`s${seq}.failed`, { type: 'step_failed', seq, name, attempt, failure, retried: false });
      if (isCancelled) return { error: new Cancelled(`The step "${name}" was cancelled.`) };
      return { error: new StepFailed(name, attempt, failure) };
    });
  }

  #runLocal(seq: number, { step, input }: LocalStep): void {
    this.locals.delete(seq);
    const timeout = Math.min(LOCAL_MS_MAX, step.options.timeout_ms);
    const options = { scheduleToCloseTimeout: timeout, retry: retryOf(step.options) };
    this.launch(
      seq,
      () => scheduleLocalActivity<Json>(step.name, [this.meta(), ...input], options),
      (error) => {
        const { failure, isTimeout, isCancelled } = readStepFailure(error, step.name, step.options);
        if (isCancelled) return { error: new Cancelled(`The step "${step.name}" was cancelled.`) };
        const said = { message: 'A local step took too long; call it with ctx.step.', type: 'NonRetryable' };
        return { error: new StepFailed(step.name, 1, isTimeout ? { ...said, non_retryable: true } : failure) };
      },
    );
  }

  #signal({ seq, execution_id, name, input }: Extract<Command, { type: 'signal_execution' }>): void {
    this.launch(
      seq,
      async () => {
        await getExternalWorkflowHandle(execution_id).signal(name, input);
        return undefined;
      },
      () => ({
        error: Object.assign(new Error(`No execution '${execution_id}' is running.`), { name: 'SignalFailed' }),
      }),
    );
  }

  #completeUpdate({ update_id, result = null, failure }: Extract<Command, { type: 'complete_update' }>): void {
    this.#updates.get(update_id)?.(failure ? { failure } : { result });
    this.#updates.delete(update_id);
  }

  meta(): StepMeta {
    return { run_id: this.info.run_id };
  }
}

/** The run id of the API: chosen by the server for the first run, by Temporal for all others. */
function runIdOf(): string {
  const { runId, firstExecutionRunId, memo } = workflowInfo();
  const { run_id } = (memo ?? {}) as StartMemo;
  return run_id !== undefined && runId === firstExecutionRunId ? run_id : runId;
}

function activityOptions(seq: number, options: StepOptions): ActivityOptions {
  return {
    activityId: String(seq),
    startToCloseTimeout: options.timeout_ms,
    heartbeatTimeout: options.heartbeat_ms ?? HEARTBEAT_MS,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: retryOf(options),
    ...(options.total_timeout_ms === undefined ? {} : { scheduleToCloseTimeout: options.total_timeout_ms }),
  };
}

function retryOf({ retry }: StepOptions): NonNullable<ActivityOptions['retry']> {
  return {
    initialInterval: retry.initial_interval_ms,
    backoffCoefficient: retry.backoff,
    maximumInterval: Math.max(retry.initial_interval_ms, retry.max_interval_ms),
    nonRetryableErrorTypes: retry.non_retryable_types,
    ...(retry.max_attempts === 0 ? {} : { maximumAttempts: retry.max_attempts }),
  };
}
