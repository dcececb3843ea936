import type { Json, StepOptions } from './protocol.ts';
import { checkName, register } from './registry.ts';
import type { ProgressTask, Widen } from './run/progress-task.ts';
import { type InputOf, type OutputOf, type Reader, readerOf, type Schema } from './schema.ts';

export type Retry = {
  /** Maximum number of attempts, including the first; 0 means no limit. Default 3. */
  maxAttempts?: number;
  /** Delay before the second attempt. Default 1,000. */
  initialIntervalMs?: number;
  /** Factor between two delays. Default 2. */
  backoff?: number;
  /** Maximum delay. Default 60,000. */
  maxIntervalMs?: number;
  /** Names of errors that are not retried. */
  nonRetryable?: string[];
};

export type StepSettings<S extends Schema | undefined = Schema | undefined> = {
  /** Validates the input before each attempt; an invalid input fails the step without a retry. */
  input?: S;
  /** `false`: one attempt only. */
  retry?: Retry | false;
  /** Timeout of one attempt. Default five minutes. */
  timeoutMs?: number;
  /** Timeout of all attempts and delays together. By default only `maxAttempts` limits them. */
  totalTimeoutMs?: number;
  /** An attempt without a heartbeat for this long counts as lost: call `step.heartbeat()` more often. */
  heartbeat?: { timeoutMs: number };
  /** At most `max` attempts start per window, in the whole deployment. Steps with the same key share the limit. */
  rateLimit?: { max: number; windowMs: number; key?: string };
};

/** The context of an attempt. */
export type StepContext = {
  readonly executionId: string;
  readonly runId: string;
  readonly workflow: string;
  /** The same for each attempt of this step: use it as an idempotency key. */
  readonly idempotencyKey: string;
  /** 1, 2, 3 … */
  readonly attempt: number;
  /** Aborts when the step was cancelled, timed out or was given to another worker. */
  readonly signal: AbortSignal;
  /** Details of the last heartbeat of the previous attempt. */
  readonly lastHeartbeat: Json | undefined;
  /** Renews the attempt and stores its progress: the next attempt gets it as `lastHeartbeat`. */
  heartbeat(details?: Json): void;
  /** A progress stream: see `ctx.task`. */
  task<State extends Json>(type: string, state: State): ProgressTask<Widen<State>>;
  readonly log: Log;
  /** The platform's address and the key of this worker, for calls to its API. */
  readonly platform: { url: string; apiKey: string };
};

export type Log = Record<
  'debug' | 'info' | 'warn' | 'error',
  (message: string, attributes?: Record<string, unknown>) => void
>;

export type StepFunction<In, Out> = (input: In, step: StepContext) => Out | Promise<Out>;

export type Step<In = unknown, Out = unknown> = {
  readonly kind: 'tramontane.step';
  readonly name: string;
  readonly settings: StepSettings;
  readonly options: StepOptions;
  readonly read: Reader;
  readonly run: StepFunction<unknown, unknown>;
  /** Only for the type checker: input and output of a call. */
  readonly '~types'?: { input: In; output: Out };
};
// biome-ignore lint/suspicious/noExplicitAny: any step at all.
export type AnyStep = Step<any, any>;

const FIVE_MINUTES_MS = 300_000;

/**
 * Defines a step: code with side effects, such as a request or a query. It runs at least once, on any worker of the
 * deployment; the first result counts. The history refers to its name, so do not change it.
 */
export function defineStep<In, Out>(
  name: string,
  run: (input: In, step: StepContext) => Out | Promise<Out>,
): Step<In, Out>;
export function defineStep<S extends Schema, Out>(
  name: string,
  settings: StepSettings<S> & { input: S },
  run: (input: OutputOf<S>, step: StepContext) => Out | Promise<Out>,
): Step<InputOf<S>, Out>;
export function defineStep<In, Out>(
  name: string,
  settings: StepSettings<undefined>,
  run: (input: In, step: StepContext) => Out | Promise<Out>,
): Step<In, Out>;
export function defineStep(
  name: string,
  settingsOrRun: StepSettings | StepFunction<never, unknown>,
  maybeRun?: StepFunction<never, unknown>,
): AnyStep {
  checkName('step', name);
  const [settings, run] = typeof settingsOrRun === 'function' ? [{}, settingsOrRun] : [settingsOrRun, maybeRun];
  if (!run) throw new TypeError(`defineStep("${name}") needs a function as its last argument.`);
  const step = makeStep(name, settings, run as StepFunction<unknown, unknown>);
  register('steps', step);
  return step;
}

/** Neither registers the step nor checks its name: for the platform's own steps. */
export function makeStep(name: string, settings: StepSettings, run: StepFunction<unknown, unknown>): AnyStep {
  return {
    kind: 'tramontane.step',
    name,
    settings,
    options: toStepOptions(name, settings),
    read: readerOf(settings.input),
    run,
  };
}

export function toStepOptions(name: string, settings: StepSettings): StepOptions {
  const { timeoutMs = FIVE_MINUTES_MS, totalTimeoutMs, heartbeat, rateLimit } = settings;
  const retry: Retry = settings.retry === false ? { maxAttempts: 1 } : (settings.retry ?? {});
  const { maxAttempts = 3, initialIntervalMs = 1000, backoff = 2, maxIntervalMs = 60_000 } = retry;
  mustBe(name, 'retry.maxAttempts', maxAttempts, Number.isInteger(maxAttempts) && maxAttempts >= 0);
  mustBe(name, 'retry.backoff', backoff, backoff >= 1);
  for (const [what, value] of Object.entries({ timeoutMs, totalTimeoutMs, initialIntervalMs, maxIntervalMs }))
    mustBe(name, what, value, value === undefined || (Number.isFinite(value) && value > 0));
  return {
    retry: {
      max_attempts: maxAttempts,
      initial_interval_ms: initialIntervalMs,
      backoff,
      max_interval_ms: maxIntervalMs,
      non_retryable_types: retry.nonRetryable ?? [],
    },
    timeout_ms: timeoutMs,
    ...(totalTimeoutMs === undefined ? {} : { total_timeout_ms: totalTimeoutMs }),
    ...(heartbeat === undefined ? {} : { heartbeat_ms: heartbeat.timeoutMs }),
    ...(rateLimit === undefined
      ? {}
      : { rate_limit: { key: rateLimit.key ?? name, max: rateLimit.max, window_ms: rateLimit.windowMs } }),
  };
}

function mustBe(step: string, what: string, value: unknown, isGood: boolean): void {
  if (!isGood) throw new TypeError(`The step "${step}" cannot have ${what} ${String(value)}.`);
}
