import { ApiError, unavailable } from '../kit/http/index.ts';
import { monthStartMs } from './calendar.ts';
import type { Budget } from './service/budgets.ts';

const KIND = { type: 'rate_limited', code: '1300' };

export function rateLimited(waitMs: number, headers: Record<string, string>): ApiError {
  return new ApiError(429, 'Rate limit exceeded', { ...KIND, headers: { ...headers, ...retryAfter(waitMs) } });
}

export function budgetSpent({ kind }: Budget, nowMs: number): ApiError {
  const nextMonthMs = monthStartMs(nowMs, 1);
  const begins = new Date(nextMonthMs).toISOString().slice(0, 10);
  return new ApiError(
    429,
    `The monthly budget of this ${kind} is spent. The next month begins on ${begins} (UTC); to go on before that, ask an administrator to raise the budget.`,
    { ...KIND, headers: retryAfter(nextMonthMs - nowMs) },
  );
}

export function withoutDatabase(cause: unknown): ApiError {
  return unavailable('The database cannot be reached. Try again in a moment.', 1, { cause });
}

function retryAfter(waitMs: number): Record<string, string> {
  return { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) };
}
