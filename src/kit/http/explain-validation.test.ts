import { expect, it } from 'vitest';
import { errorBody } from './error-bodies.ts';
import { ValidationFailed } from './errors.ts';
import { explainValidation } from './explain-validation.ts';

const item = { type: 'missing', loc: ['body', 'messages', 0, 'content'], msg: 'Field required', input: {} };

it('a mistake is explained by one sentence that names its field', () => {
  expect(explainValidation([item])).toEqual({
    object: 'error',
    message: "The field 'messages.0.content' is not valid: Field required.",
    type: 'invalid_request_error',
    param: 'messages.0.content',
    code: 'missing',
  });
});

it('the sentence says how many more mistakes there are, and what is not a field has no name', () => {
  const query = { ...item, loc: ['query', 'page'] };
  expect(explainValidation([query, item, item]).message).toBe(
    "The query parameter 'page' is not valid: Field required. `detail` lists 2 more.",
  );
  expect(explainValidation([{ type: 'json_invalid', loc: ['body', 17], msg: 'JSON decode error' }])).toMatchObject({
    message: 'The body of the request is not valid: JSON decode error.',
    param: null,
  });
});

it('only the style of inference explains a 422', () => {
  const failure = new ValidationFailed([item]);
  expect(errorBody(failure, { shape: 'object' })).toEqual({ detail: [item] });
  expect(errorBody(failure, { shape: 'object', explainsValidation: true })).toMatchObject({
    object: 'error',
    detail: [item],
  });
});
