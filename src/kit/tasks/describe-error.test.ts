import { expect, it } from 'vitest';
import { describeError } from './describe-error.ts';

it('keeps name and message, and no stack', () => {
  expect(describeError(new RangeError('too far'))).toBe('RangeError: too far');
  const error = new Error(`outer\n    at run (/srv/secret.ts:1:1)\n    at next (/srv/b.ts:2:2)\nhint`);
  expect(describeError(error)).toBe('Error: outer\nhint');
});

it('names the code of an error without a message', () => {
  expect(describeError(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe(
    'AggregateError: ECONNREFUSED',
  );
});

it('is at most 2,000 characters of text that both databases can store', () => {
  const text = describeError(`a\u0000${'😀'.repeat(2000)}`);
  expect(text).toHaveLength(2000);
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toContain('\u0000');
});

it('survives whatever was thrown', () => {
  for (const thrown of [undefined, null, 7, Symbol('s'), Object.create(null), { toString: null }]) {
    expect(describeError(thrown)).toBe('Something other than an error was thrown.');
  }
});
