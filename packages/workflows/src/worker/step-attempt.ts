import { randomUUID } from 'node:crypto';
import type { AnyStep, Log, StepContext } from '../definitions.ts';
import { toFailure } from '../errors.ts';
import type { CustomTaskEvent, Json, StepResult, StepTask } from '../protocol.ts';
import { startProgressTask } from '../run/progress-task.ts';
import { toJson } from '../to-json.ts';
import { traceOfStep } from '../trace-of-step.ts';

/** A running attempt of a step and its unsent events. */
export class StepAttempt {
  readonly task: StepTask;
  readonly beganMs: number;
  heardMs: number;
  details: Json | undefined;
  hasNews = false;
  events: { key: string; event: CustomTaskEvent }[] = [];
  isCancelRequested = false;
  #controller: AbortController | undefined;
  #emitted = 0;
  readonly #onEvents: () => void;

  constructor(task: StepTask, nowMs: number, onEvents: () => void) {
    this.task = task;
    this.beganMs = nowMs;
    this.heardMs = nowMs;
    this.#onEvents = onEvents;
  }

  abort(reason: string): void {
    this.#abortController().abort(new Error(reason));
  }

  async run(step: AnyStep, platform: StepContext['platform'], log: () => Log): Promise<StepResult> {
    const { token, input } = this.task;
    try {
      const given = step.read(input[0], `The input of the step "${step.name}"`);
      const result = await step.run(given, this.#context(platform, log));
      return { token, result: toJson(result) };
    } catch (error) {
      if (this.isCancelRequested) return { token, cancelled: true };
      return { token, failure: toFailure(error) };
    }
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
    this.events.push({ key: String(++this.#emitted), event });
    this.#onEvents();
  }

  /** Created on demand: most steps never use it. */
  #abortController(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }
}
