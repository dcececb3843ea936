import { expect, it } from 'vitest';
import { findPublicPrice } from './public-prices.ts';

it.each([
  ['gpt-4o', { prompt: 2.5, completion: 10 }],
  ['gpt-4o-2024-11-20', { prompt: 2.5, completion: 10 }],
  ['openai/gpt-4o-mini', { prompt: 0.15, completion: 0.6 }],
  ['mistral-small-latest', { prompt: 0.1, completion: 0.3 }],
  ['claude-sonnet-4-5-20250929', { prompt: 3, completion: 15 }],
  ['gpt-4o-audio-preview', undefined],
  ['constructor', undefined],
  ['my-model', undefined],
])('the public price of %s is that of the model it names, and of no other', (name, price) => {
  expect(findPublicPrice(name)).toEqual(price);
});
