import { expect, it } from 'vitest';
import { FileConfig } from '../config/schema.ts';
import { readPrices } from './read-prices.ts';

const upstream = (id: string, more: object = {}) => ({ id, engine: 'upstream', url: 'http://127.0.0.1:9', ...more });
const read = (public_prices: object) =>
  readPrices(
    FileConfig.parse({
      models: [
        upstream('ours', { upstream_model: 'gpt-4o' }),
        upstream('gpt-4o-mini', { price: { prompt: 9, completion: 9 } }),
        upstream('unknown'),
      ],
      public_prices,
    }),
  );

it('public prices apply only where the operator wants them', () => {
  const { prices, sourceOf } = read({});
  expect(prices.get('ours')).toEqual({ prompt: 0, completion: 0 });
  expect(sourceOf('ours')).toBeUndefined();
});

it('public prices apply to models without a price of their own, in the currency, and say so', () => {
  const { prices, sourceOf } = read({ enabled: true, dollar: 2 });
  expect(prices.get('ours')).toEqual({ prompt: 5, completion: 20 });
  expect(sourceOf('ours')).toBe('public prices of 2025-10');
  expect(prices.get('gpt-4o-mini')).toEqual({ prompt: 9, completion: 9 });
  expect([sourceOf('gpt-4o-mini'), sourceOf('unknown')]).toEqual([undefined, undefined]);
});
