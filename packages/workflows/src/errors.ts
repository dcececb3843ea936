import type { Failure } from './protocol.ts';

/** Errors are compared by name, not by class: a project may have its own copy of this package. */
export type ErrorName =
  | 'StepFailed'
  | 'ChildFailed'
  | 'SignalFailed'
  | 'Cancelled'
  | 'TimedOut'
  | 'NonRetryable'
  | 'InvalidPayload'
  | 'ContinueAsNew'
  | 'NotDeterministic'
  | 'TurnBlocked'
  | 'UnhandledError';

/** A step failed finally: its last attempt failed, or its failure is not retryable. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly step: string;
  readonly attempt: number;
  readonly failure: Failure;

  constructor(step: string, attempt: number, failure: Failure) {
    const tries = attempt > 1 ? ` after ${attempt} attempts` : '';
    super(`The step "${step}" failed${tries}: ${failure.message}`);
    this.step = step;
    this.attempt = attempt;
    this.failure = failure;
  }
}

/** A child workflow ended without a result, or could not be started. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  readonly workflow: string;
  readonly failure: Failure;

  constructor(workflow: string, failure: Failure) {
    super(`The child workflow "${workflow}" failed: ${failure.message}`);
    this.workflow = workflow;
    this.failure = failure;
  }
}

/** A signal to another execution could not be delivered. */
export class SignalFailed extends Error {
  override readonly name = 'SignalFailed';
}

/** The execution, or the scope around the waiting code, was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Something took longer than its timeout. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Thrown by a step to prevent a retry. */
export class NonRetryable extends Error {
  override readonly name = 'NonRetryable';
}

/** An input, result or message does not match its schema. */
export class InvalidPayload extends Error {
  override readonly name = 'InvalidPayload';
}

/** Thrown by `ctx.continueAsNew`; do not catch it. */
export class ContinueAsNew extends Error {
  override readonly name = 'ContinueAsNew';
  readonly input: unknown;
  readonly workflow: string | undefined;

  constructor(input: unknown, workflow: string | undefined) {
    super('The execution goes on in a new run.');
    this.input = input;
    this.workflow = workflow;
  }
}

/** The code does not match its history, or waits for something that the history does not record. */
export class NotDeterministic extends Error {
  override readonly name = 'NotDeterministic';
}

/** Workflow code ran for seconds without waiting; its turn is discarded and repeated later. */
export class TurnBlocked extends Error {
  override readonly name = 'TurnBlocked';

  constructor(workflow: string, ms: number) {
    super(
      `The workflow "${workflow}" ran for ${Math.round(ms)} ms without waiting for anything; 2,000 ms are the limit. ` +
        'Put the work into a step.',
    );
  }
}

/** Code of a workflow or step left an error unhandled: a promise that nothing awaits, or a callback that threw. */
export class UnhandledError extends Error {
  override readonly name = 'UnhandledError';

  constructor(of: string, error: unknown) {
    const said = toFailure(error).message;
    super(`The ${of} left an error unhandled, in a promise that nothing awaits or in a callback: ${said}`, {
      cause: error,
    });
  }
}

export function isError(error: unknown, name: ErrorName): boolean {
  return error instanceof Error && error.name === name;
}

const STACK_CHARACTERS_MAX = 4000;

/** The stored form of an error: message, type, stack and cause. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: typeof error === 'string' ? error : describe(error), type: 'Error' };
  return {
    message: error.message || error.name,
    type: error.name,
    ...(isError(error, 'NonRetryable') || isError(error, 'InvalidPayload') ? { non_retryable: true } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack.slice(0, STACK_CHARACTERS_MAX) }),
    ...(error.cause === undefined ? {} : { cause: toFailure(error.cause) }),
  };
}

function describe(thrown: unknown): string {
  return `Something other than an error was thrown: ${JSON.stringify(thrown) ?? String(thrown)}`;
}
