import { expect, it } from 'vitest';
import { isAdult } from './is-adult.ts';

it('a child is no adult', () => {
  expect([isAdult(5), isAdult(40)]).toEqual([false, true]);
});
