import { expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { inWords } from './problem-words.ts';

it('a pattern, a length, a bound and a missing value are said in words, and anything else becomes a sentence', () => {
  expect(inWords("String should match pattern '^[a-z]+$'")).toBe('This has characters that are not allowed here.');
  expect(inWords('String should have at most 5 characters')).toBe('Use at most 5 characters.');
  expect(inWords('Field required')).toBe('Enter a value.');
  expect(inWords('Input should be greater than or equal to 1')).toBe('Use 1 or more.');
  expect(inWords('Input should be a valid integer, got a number with a fractional part')).toBe('Enter a whole number.');
  expect(inWords("Input should be 'chat', 'code' or 'ocr'")).toBe('Choose one of chat, code or ocr.');
  expect(inWords('Input should be a valid URL, relative URL without a base')).toMatch(/^Enter a whole address/);
  expect(inWords('Value error, use up to 128 letters')).toBe('Use up to 128 letters.');
  expect(inWords('The range is empty')).toBe('The range is empty.');
});

it('a form finds the problem of its own field', () => {
  const detail = [
    { loc: ['body', 'name'], msg: "String should match pattern '^x$'" },
    { loc: ['body', 'definition', 'content'], msg: 'Field required' },
  ];
  const error = new ApiError(422, 'x', { detail });
  expect(error.problemOf('name')).toBe('This has characters that are not allowed here.');
  expect(error.problemOf('definition.content')).toBe('Enter a value.');
  expect(error.problemOf('title')).toBeUndefined();
});
