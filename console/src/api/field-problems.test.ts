import { expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { fieldProblems } from './field-problems.ts';

const FIELDS = { name: 'name', model: 'model', 'definition.content': 'content' } as const;
const invalid = (...loc: string[][]) =>
  new ApiError(422, 'no', { detail: loc.map((at) => ({ loc: ['body', ...at], msg: 'Field required' })) });

it('what inputs show is not said a second time', () => {
  expect(fieldProblems(invalid(['name'], ['definition', 'content']), FIELDS)).toEqual({
    byField: { name: 'Enter a value.', content: 'Enter a value.' },
    rest: undefined,
  });
});

it('what no input shows stays an error of the form', () => {
  const error = invalid(['name'], ['tools', '0']);
  expect(fieldProblems(error, FIELDS)).toEqual({ byField: { name: 'Enter a value.' }, rest: error });
  expect(fieldProblems(new Error('broken'), FIELDS).rest).toBeInstanceOf(Error);
});

it('a model that is not served stands beside the choice of the model', () => {
  const error = new ApiError(400, 'Invalid model: gone', { code: '1500' });
  expect(fieldProblems(error, FIELDS)).toEqual({
    byField: { model: 'This model is not served. Choose another.' },
    rest: undefined,
  });
});
