import type { AnyWorkflow, Log } from '../definitions.ts';
import {
  type ContinueAsNew,
  isError,
  NotDeterministic,
  StepFailed,
  TurnBlocked,
  toFailure,
  UnhandledError,
} from '../errors.ts';
import type { Command, CustomTaskEvent, Failure, HistoryEvent, Json } from '../protocol.ts';
import { toJson } from '../to-json.ts';
import type { ActiveRun, LocalStep, RunInfo } from './active-run.ts';
import { drained } from './drain.ts';
import { createHandlers, type Handlers } from './handlers.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { OpenCommand, Outcome } from './open-commands.ts';
import { createInputs, type Inputs } from './pending-inputs.ts';
import { readOutcome } from './read-outcome.ts';
import { type DeterministicGlobals, Scope, type Where, where } from './scope.ts';
import { createRandom, type Random } from './seeded-random.ts';
import { createWorkflowContext } from './workflow-context.ts';

/** Provides the results of local steps: from markers of the history, or by running them. */
export type LocalResults = (open: ReadonlyMap<number, LocalStep>) => Promise<LocalResult | undefined>;
export type LocalResult = {
  seq: number;
  details: { name: string; result?: Json; failure?: Failure };
  /** Events of progress tasks; none on replay. */
  events?: CustomTaskEvent[];
};

/** Well below the limit of 51,200 events. */
const LONG_HISTORY = 40_000;

/** Longer turns would block all other runs of the worker; such work belongs into steps. */
const BLOCKING_MS_MAX = 2000;

type Condition = { check: () => boolean; where: Where; settle(outcome: Outcome): void };

/** One run: the author's code, paused where it waits. It maps turns to commands, deterministically and without I/O. */
export class Execution implements ActiveRun {
  readonly workflow: AnyWorkflow;
  readonly info: RunInfo;
  readonly handlers: Handlers;
  readonly inputs: Inputs;
  readonly root = new Scope();
  readonly log: Log;
  readonly locals = new Map<number, LocalStep>();
  /** Open commands by seq. */
  readonly open = new Map<number, OpenCommand>();
  /** Event ids of commands to their seq: outcomes refer to the event. */
  readonly seqOfEvent = new Map<number, number>();
  readonly knownPatches = new Set<string>();
  started: HistoryEvent | undefined;
  cancelReason: string | undefined;
  isReplaying = false;
  hasEnded = false;
  nowMs = 0;
  lastEventId = 0;
  /** As of the last turn: later events would differ on replay. */
  historyLength = 0;
  /** Random values for the author's code, and for ids of the platform's tasks. */
  random: Random = createRandom('');
  ownRandom: Random = createRandom('');
  /** Whether it is time for a new run with an empty history. */
  get shouldContinueAsNew(): boolean {
    return this.historyLength >= LONG_HISTORY;
  }
  #isInTurn = false;
  #seq = 0;
  #emitted = 0;
  #commands: Command[] = [];
  #fatal: Error | undefined;
  #patches = new Map<string, boolean>();
  #conditions = new Set<Condition>();
  readonly #where: Where;
  readonly #onOutOfTurn: (error: NotDeterministic) => void;

  constructor(given: {
    workflow: AnyWorkflow;
    info: RunInfo;
    log: Log;
    onOutOfTurn: (error: NotDeterministic) => void;
  }) {
    this.workflow = given.workflow;
    this.info = given.info;
    this.#onOutOfTurn = given.onOutOfTurn;
    const logAt = (level: keyof Log) => (message: string, attributes?: Record<string, unknown>) => {
      // A logger is not workflow code: it may use timers and I/O.
      if (!this.isReplaying) where.run(undefined, () => given.log[level](message, attributes));
    };
    this.log = { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
    const globals: DeterministicGlobals = {
      now: () => this.nowMs,
      random: () => this.random.next(),
      uuid: () => this.random.uuid(),
    };
    this.#where = { scope: this.root, globals, onStray: (error) => this.#takeStray(error) };
    this.handlers = createHandlers(this);
    this.inputs = createInputs(this);
  }

  /** Continues the code with new events until it waits again. */
  async takeTurn(events: readonly HistoryEvent[], timeMs: number, localResults: LocalResults): Promise<Command[]> {
    this.#commands = [];
    this.nowMs = Math.max(this.nowMs, timeMs);
    await this.#run(() => {
      for (const event of events) this.#apply(event);
    });
    for (let local = await localResults(this.locals); local; local = await localResults(this.locals)) {
      const result = local;
      await this.#run(() => this.#finishLocal(result));
    }
    return this.#commands;
  }

  /** Calls `move` and runs the code until it waits again. */
  #run(move: () => void): Promise<void> {
    return oneAtATime(async () => {
      const beganMs = performance.now();
      this.#isInTurn = true;
      try {
        this.inScope(this.root, move);
        await this.#settle();
        this.handlers.refuseUnknownUpdates();
      } finally {
        this.#isInTurn = false;
      }
      if (this.#fatal) throw this.#fatal;
      const tookMs = performance.now() - beganMs;
      if (tookMs > BLOCKING_MS_MAX && !this.isReplaying) throw new TurnBlocked(this.workflow.name, tookMs);
    });
  }

  /** Events without meaning for the run's code, such as those of turns, are ignored. */
  #apply(event: HistoryEvent): void {
    const { attributes } = event;
    switch (event.type) {
      case 'WORKFLOW_EXECUTION_STARTED':
        this.begin(event);
        break;
      case 'WORKFLOW_EXECUTION_CANCEL_REQUESTED':
        this.requestCancel(String(attributes.reason ?? 'The execution was cancelled.'));
        break;
      case 'WORKFLOW_EXECUTION_SIGNALED':
        this.handlers.signal(String(attributes.signal_name), attributes.input ?? null);
        break;
      case 'WORKFLOW_EXECUTION_UPDATE_ADMITTED':
        this.handlers.update({
          id: String(attributes.update_id),
          name: String(attributes.update_name),
          input: attributes.input ?? null,
        });
        break;
      case 'TIMER_FIRED':
        this.settle(Number(attributes.timer_id), { value: undefined });
        break;
      default:
        this.#settleCommand(event);
    }
  }

  #settleCommand(event: HistoryEvent): void {
    const eventId = Number(event.attributes.scheduled_event_id ?? event.attributes.initiated_event_id);
    const seq = this.seqOfEvent.get(eventId);
    const open = seq === undefined ? undefined : this.open.get(seq);
    const outcome = open && readOutcome(open, event);
    if (seq === undefined || !outcome) return;
    this.seqOfEvent.delete(eventId);
    this.settle(seq, outcome);
  }

  /** Starts the author's function; its return or throw ends the run. */
  begin(started: HistoryEvent): void {
    this.started = started;
    // Not seeded by the run id: a reset copies this event to another run, which must see the same values.
    const { first_run_id = this.info.run_id, continued_run_id = '' } = started.attributes;
    this.random = createRandom(`${first_run_id}/${continued_run_id}`);
    this.ownRandom = createRandom(`${first_run_id}/${continued_run_id}/own`);
    this.inScope(this.root, () => void this.#main(started.attributes.input ?? null));
  }

  async #main(input: Json): Promise<void> {
    try {
      const given = this.workflow.readInput(input, `The input of the workflow "${this.workflow.name}"`);
      const result = await this.workflow.run(createWorkflowContext(this), given);
      const read = this.workflow.readOutput(result, `The result of the workflow "${this.workflow.name}"`);
      this.#end({ type: 'complete', result: toJson(read) });
    } catch (error) {
      this.fail(error);
    }
  }

  /** The author's function or a handler threw. */
  fail(error: unknown): void {
    if (isError(error, 'NotDeterministic')) this.#fatal ??= error as Error;
    else if (isError(error, 'ContinueAsNew')) {
      const { input, workflow } = error as ContinueAsNew;
      const other = workflow === undefined ? {} : { workflow_name: workflow };
      this.#end({ type: 'continue_as_new', input: toJson(input), ...other });
    } else if (isError(error, 'Cancelled') && this.cancelReason !== undefined)
      this.#end({ type: 'cancelled', reason: this.cancelReason });
    else this.#end({ type: 'fail', failure: toFailure(error) });
  }

  #end(command: Command): void {
    if (this.hasEnded) return;
    this.push(command);
    this.hasEnded = true;
  }

  /** Commands without an outcome; ignored after the end. */
  push(command: Command): void {
    this.mustBeInTurn();
    if (!this.hasEnded) this.#commands.push(command);
  }

  emit(event: CustomTaskEvent): void {
    this.push({ type: 'emit', key: String(++this.#emitted), event });
  }

  /** A command with the promise of its outcome. Cancelling its scope rejects it at once and cancels the command. */
  ask(
    command: (seq: number) => Command | undefined,
    { cancel, ...open }: Omit<OpenCommand, 'settle'> & { cancel?: (seq: number) => Command },
  ): Promise<Json | undefined> {
    this.mustBeInTurn();
    const seq = ++this.#seq;
    const made = command(seq);
    if (made) this.push(made);
    return this.wait(
      (settle) => this.open.set(seq, { ...open, settle }),
      () => {
        this.open.delete(seq);
        this.locals.delete(seq);
        if (cancel) this.push(cancel(seq));
      },
    );
  }

  /** A promise that `settle` or the cancellation of its scope ends. It is never an unhandled rejection. */
  wait(register: (settle: (outcome: Outcome) => void) => void, onCancel: () => void): Promise<Json | undefined> {
    const { scope } = this.here();
    const promise = new Promise<Json | undefined>((resolve, reject) => {
      const release = scope.onCancel((error) => {
        onCancel();
        reject(error);
      });
      register((outcome) => {
        release();
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      });
    });
    promise.catch(() => undefined);
    return promise;
  }

  waitUntil(check: () => boolean): { promise: Promise<Json | undefined>; drop: () => void } {
    this.mustBeInTurn();
    let condition: Condition | undefined;
    const drop = () => void (condition && this.#conditions.delete(condition));
    const promise = this.wait((settle) => {
      condition = { check, where: this.here(), settle };
      this.#conditions.add(condition);
    }, drop);
    return { promise, drop };
  }

  /** Settles a command; ignored if it was cancelled meanwhile. */
  settle(seq: number, outcome: Outcome): void {
    const open = this.open.get(seq);
    this.open.delete(seq);
    open?.settle(outcome);
  }

  /** The first result holds for the whole run, so that a loop behaves the same on replay. */
  patched(id: string): boolean {
    const known = this.#patches.get(id);
    if (known !== undefined) return known;
    const isNew = !this.isReplaying || this.knownPatches.has(id);
    this.#patches.set(id, isNew);
    if (isNew) this.push({ type: 'record_marker', name: 'patch', details: { id } });
    return isNew;
  }

  requestCancel(reason: string): void {
    this.cancelReason ??= reason;
    this.root.cancel(reason);
  }

  /** Why this copy is of no more use: it differs from the history, or its code left an error unhandled. */
  get fatal(): Error | undefined {
    return this.#fatal;
  }

  /** Code of a query changes nothing, so its mistakes do not fail a turn. */
  inQuery<T>(code: () => T): T {
    return where.run({ ...this.#where, onStray: (error) => this.#logStray(error) }, code);
  }

  #takeStray(error: unknown): void {
    // Nothing waits for the cancelled code any more, which is no mistake.
    if (isError(error, 'Cancelled')) return;
    const stray = this.#logStray(error);
    this.#fatal ??= isError(error, 'NotDeterministic') ? (error as Error) : stray;
  }

  #logStray(error: unknown): UnhandledError {
    const stray = new UnhandledError(`workflow "${this.workflow.name}"`, error);
    this.log.error(stray.message, stray.cause instanceof Error ? { stack: stray.cause.stack } : {});
    return stray;
  }

  here(): Where {
    return where.getStore() ?? this.#where;
  }

  inScope<T>(scope: Scope, code: () => T): T {
    return where.run({ ...this.#where, scope }, code);
  }

  /** Whether anything can still continue the run. */
  isWaiting(): boolean {
    return this.open.size > 0 || this.#conditions.size > 0 || this.handlers.canHear() || this.inputs.list().length > 0;
  }

  /** Whether so many steps are all that can continue the run, apart from a cancellation. */
  waitsOnlyFor(steps: number): boolean {
    return (
      this.open.size === steps &&
      this.#conditions.size === 0 &&
      !this.handlers.canHear() &&
      this.inputs.list().length === 0
    );
  }

  mustBeInTurn(): void {
    if (this.#isInTurn) return;
    const error = new NotDeterministic(
      `The workflow "${this.workflow.name}" went on after it had waited for something that no history records ` +
        '(a request, a file, a timer of its own). Put it into a step and wait for ctx.step(…) instead.',
    );
    this.#fatal ??= error;
    where.run(undefined, () => this.#onOutOfTurn(error));
    throw error;
  }

  /** Progress of other code may satisfy conditions, and their code may satisfy others. */
  async #settle(): Promise<void> {
    for (;;) {
      await drained();
      const met = [...this.#conditions].filter((condition) => this.#judge(condition));
      if (met.length === 0) return;
    }
  }

  #judge(condition: Condition): boolean {
    let outcome: Outcome = { value: true };
    try {
      if (!where.run(condition.where, condition.check)) return false;
    } catch (error) {
      outcome = { error: error instanceof Error ? error : new Error(String(error)) };
    }
    this.#conditions.delete(condition);
    condition.settle(outcome);
    return true;
  }

  #finishLocal({ seq, details, events = [] }: LocalResult): void {
    const local = this.locals.get(seq);
    if (!local)
      throw new NotDeterministic(
        `The history has local step "${details.name}" (command ${seq}), which the code did not ask for.`,
      );
    if (local.step.name !== details.name)
      throw new NotDeterministic(
        `The history has local step "${details.name}" (command ${seq}), but the code asked for local step "${local.step.name}".`,
      );
    this.locals.delete(seq);
    for (const [at, event] of events.entries()) this.push({ type: 'emit', key: `${seq}/${at}`, event });
    this.push({ type: 'record_marker', seq, name: 'local_step', details: toJson(details) });
    const { failure, result } = details;
    this.settle(seq, failure ? { error: new StepFailed(local.step.name, 1, failure) } : { value: result });
  }
}
