import { ApiError } from '../kit/http/index.ts';
import type { Check, Outcome } from './run-checks.ts';

/** The public API's body for an input that a guardrail blocks. With several guardrails of a kind the blocking one counts. */
export function blocked(outcomes: readonly Outcome[]): ApiError {
  const results: Record<string, unknown> = {};
  const violated = new Set<string>();
  for (const outcome of [...outcomes].sort((a, b) => Number(outcomeBlocks(b)) - Number(outcomeBlocks(a)))) {
    results[outcome.check.kind] ??= describe(outcome);
    if (outcomeBlocks(outcome)) for (const category of violatedIn(outcome)) violated.add(category);
  }
  const message = `The input was blocked by a guardrail: ${[...violated].join(', ')}. Change the input and send it again.`;
  return new ApiError(403, message, { body: { error: { message, status: 403 }, guardrails: { results } } });
}

/** The public API's body for an input that could not be checked and must not pass unchecked. */
export function unchecked(failures: readonly { check: Check; message: string }[]): ApiError {
  const message = 'A guardrail could not check the input and is set to block then. Try again in a moment.';
  return new ApiError(403, message, {
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

export function outcomeBlocks(outcome: Outcome): boolean {
  return outcome.check.config.action === 'block' && violatedIn(outcome).length > 0;
}

function violatedIn(outcome: Outcome): string[] {
  if ('failure' in outcome) return [];
  return Object.entries(outcome.decisions)
    .filter(([, { violated }]) => violated)
    .map(([category]) => category);
}

function describe(outcome: Outcome): unknown {
  const { check } = outcome;
  const head = { model_name: check.model.id };
  if ('failure' in outcome)
    return { ...head, error: { message: outcome.failure }, violated: false, action: passOf(check) };
  const isBlocked = outcomeBlocks(outcome);
  const violated = violatedIn(outcome).length > 0;
  return { ...head, decisions: outcome.decisions, violated, action: isBlocked ? 'block' : passOf(check) };
}

/** What an input that goes on is called: `pass` where a hit would have blocked, `none` where nothing ever does. */
export function passOf({ config }: Check): 'pass' | 'none' {
  return config.action === 'block' ? 'pass' : 'none';
}
