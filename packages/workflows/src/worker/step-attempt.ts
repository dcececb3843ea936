import { randomUUID } from 'node:crypto';
import type { AnyStep, Log, StepContext } from '../definitions.ts';
import { toFailure, UnhandledError } from '../errors.ts';
import type { CustomTaskEvent, Json, StepResult, StepTask } from '../protocol.ts';
import { startProgressTask } from '../run/progress-task.ts';
import type { Owner } from '../run/scope.ts';
import { toJson } from '../to-json.ts';
import { traceOfStep } from '../trace-of-step.ts';
import { stepCode } from './attribute-errors.ts';

/** A running attempt of a step and its unsent events. */
export class StepAttempt implements Owner {
  /** Changes only while the server does not know of the step: see `adopt` in steps.ts. */
  task: StepTask;
  readonly beganMs: number;
  /** Whether the server has the step, so that its lease can be renewed and its events sent. */
  isKnown: boolean;
  heardMs: number;
  details: Json | undefined;
  hasNews = false;
  events: { key: string; event: CustomTaskEvent }[] = [];
  isCancelRequested = false;
  #controller: AbortController | undefined;
  #emitted = 0;
  #isDiscarded = false;
  #fail: ((error: Error) => void) | undefined;
  #log: (() => Log) | undefined;
  readonly #onEvents: () => void;

  constructor(task: StepTask, nowMs: number, isKnown: boolean, onEvents: () => void) {
    this.task = task;
    this.isKnown = isKnown;
    this.beganMs = nowMs;
    this.heardMs = nowMs;
    this.#onEvents = onEvents;
  }

  abort(reason: string): void {
    // What a listener of the signal throws is the step's own mistake.
    stepCode.run(this, () => this.#abortController().abort(new Error(reason)));
  }

  /** Its result and its events are of no use. */
  discard(): void {
    this.#isDiscarded = true;
    this.events.length = 0;
    this.abort('The workflow did not ask for this step after all.');
  }

  async run(step: AnyStep, platform: StepContext['platform'], log: () => Log): Promise<StepResult> {
    this.#log = log;
    try {
      const code = async () => {
        const given = step.read(this.task.input[0], `The input of the step "${step.name}"`);
        return step.run(given, this.#context(platform, log));
      };
      const result = await new Promise((resolve, reject) => {
        this.#fail = reject;
        stepCode.run(this, code).then(resolve, reject);
      });
      return { token: this.task.token, result: toJson(result) };
    } catch (error) {
      const { token } = this.task;
      if (this.isCancelRequested) return { token, cancelled: true };
      return { token, failure: toFailure(error) };
    } finally {
      this.#fail = undefined;
    }
  }

  /** Its code left an error unhandled: fails the attempt, if it has not ended. */
  onStray(error: unknown): void {
    const stray = new UnhandledError(`step "${this.task.name}"`, error);
    this.#log?.().error(stray.message);
    if (!this.#fail) return;
    this.#fail(stray);
    this.abort(stray.message);
  }

  #context(platform: StepContext['platform'], log: () => Log): StepContext {
    const { task } = this;
    const attempt = this;
    return {
      executionId: task.execution_id,
      runId: task.run_id,
      workflow: task.workflow_name,
      idempotencyKey: `${task.run_id}/${task.activity_id}`,
      attempt: task.attempt,
      lastHeartbeat: task.last_heartbeat,
      platform,
      get traceparent() {
        return traceOfStep(task.root_execution_id, task.run_id, task.activity_id);
      },
      get log() {
        return log();
      },
      get signal() {
        return attempt.#abortController().signal;
      },
      heartbeat(details) {
        if (details !== undefined) attempt.details = toJson(details);
        attempt.hasNews = true;
      },
      task: (type, state) =>
        startProgressTask({ id: randomUUID(), type, emit: (event) => attempt.#emit(event) }, state),
    };
  }

  #emit(event: CustomTaskEvent): void {
    if (this.#isDiscarded) return;
    this.events.push({ key: String(++this.#emitted), event });
    this.#onEvents();
  }

  /** Created on demand: most steps never use it. */
  #abortController(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }
}
