import { useQuery } from '@tanstack/react-query';
import { prices } from './queries.ts';
import type { Reply } from './reply.ts';

const PER = 1_000_000;

/** What the answer cost, where its model has a price. */
export function useCost({ usage, model }: Reply): string | undefined {
  const { data } = useQuery(prices);
  const price = data?.prices[model];
  if (!usage || !data || !price) return undefined;
  const amount = (usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion) / PER;
  return `${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(2)} ${data.currency}`;
}
