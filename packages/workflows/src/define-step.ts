import type { AnyStep, Retry, Step, StepContext, StepFunction, StepSettings } from './definitions.ts';
import type { StepOptions } from './protocol.ts';
import { checkName, register } from './registry.ts';
import { type InputOf, type OutputOf, readerOf, type Schema } from './schema.ts';

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
