import { formatNumber } from '../../ui/format.ts';
import type { ServedModel } from './queries.ts';

export function describePrice(price: ServedModel['price'], currency: string): string {
  if (!price) return 'Free';
  return `${formatNumber(price.prompt)} / ${formatNumber(price.completion)} ${currency} per million tokens`;
}
