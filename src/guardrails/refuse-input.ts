import type { ApiError } from '../kit/http/index.ts';
import { guardrailErrors } from './errors.ts';
import type { Check, Outcome } from './run-checks.ts';

/** The body is the public API's. Of several guardrails of one kind it shows the blocking one. */
export function refuseBlocked(outcomes: readonly Outcome[]): ApiError {
  const results: Record<string, unknown> = {};
  const violated = new Set<string>();
  for (const outcome of [...outcomes].sort((a, b) => Number(isBlocking(b)) - Number(isBlocking(a)))) {
    results[outcome.check.kind] ??= describe(outcome);
    if (isBlocking(outcome)) for (const category of violationsOf(outcome)) violated.add(category);
  }
  const message = `The input was blocked by a guardrail: ${[...violated].join(', ')}. Change the input and send it again.`;
  return guardrailErrors.guardrail_blocked(message, {
    body: { error: { message, status: 403 }, guardrails: { results } },
  });
}

/** For an input that could not be checked and must not pass unchecked. The body is the public API's. */
export function refuseUnchecked(failures: readonly { check: Check; message: string }[]): ApiError {
  const message = 'A guardrail could not check the input and is set to block then. Try again in a moment.';
  return guardrailErrors.guardrail_check_failed(message, {
    body: {
      object: 'Error',
      message,
      type: 'invalid_request_error',
      code: 3201,
      guardrails: failures.map(({ check, message: reason }) => ({
        [check.kind]: { action: 'block', error: { message: reason } },
      })),
    },
  });
}

export function isBlocking(outcome: Outcome): boolean {
  return outcome.check.config.action === 'block' && violationsOf(outcome).length > 0;
}

function violationsOf(outcome: Outcome): string[] {
  if ('failure' in outcome) return [];
  return Object.entries(outcome.decisions)
    .filter(([, { violated }]) => violated)
    .map(([category]) => category);
}

function describe(outcome: Outcome): unknown {
  const { check } = outcome;
  const head = { model_name: check.model.id };
  if ('failure' in outcome)
    return { ...head, error: { message: outcome.failure }, violated: false, action: passActionOf(check) };
  const isBlocked = isBlocking(outcome);
  const violated = violationsOf(outcome).length > 0;
  return { ...head, decisions: outcome.decisions, violated, action: isBlocked ? 'block' : passActionOf(check) };
}

/** The action of an input that passes: `pass` where a violation would have blocked, else `none`. */
export function passActionOf({ config }: Check): 'pass' | 'none' {
  return config.action === 'block' ? 'pass' : 'none';
}
