import type { Limits, Price, UsageTotals } from './schema.ts';

/** Costs and budgets are stored as whole millionths of the currency. */
const MICROS = 1_000_000;
const MEBIBYTE = 1024 * 1024;

/** Currency units per million tokens are millionths per token. */
export function costMicrosOf(price: Price, promptTokens: number, completionTokens: number): number {
  return promptTokens * price.prompt + completionTokens * price.completion;
}

export function toMicros(amount: number): number {
  return Math.round(amount * MICROS);
}

export function fromMicros(micros: number): number {
  return micros / MICROS;
}

/** Limits with the budget in units of the currency and storage in MiB; absent means unchanged. */
type LimitsForPeople = {
  [name in 'requests_per_second' | 'tokens_per_minute' | 'monthly_budget' | 'storage_mib']?: number | null | undefined;
};

export function toLimits({
  requests_per_second,
  tokens_per_minute,
  monthly_budget,
  storage_mib,
}: LimitsForPeople): Partial<Limits> {
  return {
    ...(requests_per_second !== undefined && { requests_per_second }),
    ...(tokens_per_minute !== undefined && { tokens_per_minute }),
    ...(monthly_budget !== undefined && {
      monthly_budget_micros: monthly_budget === null ? null : toMicros(monthly_budget),
    }),
    ...(storage_mib !== undefined && {
      storage_bytes: storage_mib === null ? null : Math.round(storage_mib * MEBIBYTE),
    }),
  };
}

const NO_USAGE: UsageTotals = { requests: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_micros: 0 };

/** The totals of a row of usage, with the cost in units of the currency. */
export function toTotals(row: UsageTotals = NO_USAGE): Omit<UsageTotals, 'cost_micros'> & { cost: number } {
  const { requests, prompt_tokens, completion_tokens, cached_tokens, cost_micros } = row;
  return { requests, prompt_tokens, completion_tokens, cached_tokens, cost: fromMicros(cost_micros) };
}
