import type { ApiError } from '../kit/http/index.ts';
import { monthStartMs } from './calendar.ts';
import { meteringErrors } from './errors.ts';
import type { Budget } from './schema.ts';

const HELD_RETRY_SECONDS = 1;

export function rateLimited(waitMs: number, headers: Record<string, string>): ApiError {
  return meteringErrors.rate_limit_exceeded({ headers, retryAfterSeconds: waitMs / 1000 });
}

export function budgetSpent({ kind }: Budget, nowMs: number): ApiError {
  const nextMonthMs = monthStartMs(nowMs, 1);
  const begins = new Date(nextMonthMs).toISOString().slice(0, 10);
  return meteringErrors.budget_spent(
    `The monthly budget of this ${kind} is spent. The next month begins on ${begins} (UTC); to continue before that, ask an administrator to raise the budget.`,
    { retryAfterSeconds: (nextMonthMs - nowMs) / 1000 },
  );
}

export function budgetHeld({ kind }: Budget): ApiError {
  return meteringErrors.budget_held(
    `What is left of the monthly budget of this ${kind} is held for requests that are under way. Try again in a moment, or ask an administrator to raise the budget.`,
    { retryAfterSeconds: HELD_RETRY_SECONDS },
  );
}
