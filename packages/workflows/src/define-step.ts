import type { Json, StepOptions } from './protocol.ts';
import { checkName, register } from './registry.ts';
import type { ProgressTask, Widen } from './run/progress-task.ts';
import { type InputOf, type OutputOf, type Reader, readerOf, type Schema } from './schema.ts';

export type Retry = {
  /** All attempts together, the first included; 0 is no bound. Default 3. */
  maxAttempts?: number;
  /** Before the second attempt. Default 1,000. */
  initialIntervalMs?: number;
  /** Each wait is so many times the one before. Default 2. */
  backoff?: number;
  /** Default 60,000. */
  maxIntervalMs?: number;
  /** Names of errors that another attempt would not mend. */
  nonRetryable?: string[];
};

export type StepSettings<S extends Schema | undefined = Schema | undefined> = {
  /** Checked before each attempt; a misfit fails the step without another one. */
  input?: S;
  /** False: one attempt only. */
  retry?: Retry | false;
  /** Of one attempt. Default five minutes. */
  timeoutMs?: number;
  /** Of all attempts and the waits between them. Without one only `maxAttempts` bounds them. */
  totalTimeoutMs?: number;
  /** The attempt counts as lost when nothing was heard of it for so long: call `step.heartbeat()` more often. */
  heartbeat?: { timeoutMs: number };
  /** At most `max` attempts begin per window, in the whole deployment. Steps with the same key share it. */
  rateLimit?: { max: number; windowMs: number; key?: string };
};

/** What a step knows of the attempt it is. */
export type StepContext = {
  readonly executionId: string;
  readonly runId: string;
  readonly workflow: string;
  /** The same for each attempt of this step: a key for services that know idempotency. */
  readonly idempotencyKey: string;
  /** 1, 2, 3 … */
  readonly attempt: number;
  /** Fires when the step was cancelled, ran out of time or is not this worker's any more. */
  readonly signal: AbortSignal;
  /** What the last attempt's last heartbeat said. */
  readonly lastHeartbeat: Json | undefined;
  /** Says that the step is alive, and where it stands: the next attempt gets it as `lastHeartbeat`. */
  heartbeat(details?: Json): void;
  /** A progress stream of its own: see `ctx.task`. */
  task<State extends Json>(type: string, state: State): ProgressTask<Widen<State>>;
  readonly log: Log;
  /** The platform that started it, and the key of this worker: for calls to its API. */
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
  /** Only for the type checker: what a call gives and gets. */
  readonly '~types'?: { input: In; output: Out };
};
// biome-ignore lint/suspicious/noExplicitAny: any step at all.
export type AnyStep = Step<any, any>;

const FIVE_MINUTES_MS = 300_000;

/**
 * Something that touches the world: a call, a query, a file. It runs on any worker of the deployment, at least once,
 * and its first result is the one that counts. The name is how the history remembers it: keep it.
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

/** Without a place in the registry and without a look at the name: for the steps of the platform itself. */
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
