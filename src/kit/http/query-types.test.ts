import { expect, it } from 'vitest';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { readNumber } from './query-types.ts';

it.each([
  ['1', 1],
  ['-1.5', -1.5],
  ['1.', 1],
  ['.5', 0.5],
  ['+2e3', 2000],
  ['1e', undefined],
  ['.', undefined],
  ['1.2.3', undefined],
])('reads %j as %j', (text, value) => {
  expect(readNumber(text)).toBe(value);
});

it('refuses a long text of digits that is no number in no time', () => {
  expect(cpuMsOf(() => expect(readNumber(`${'0'.repeat(100_000)}x`)).toBeUndefined())).toBeLessThan(400);
});
