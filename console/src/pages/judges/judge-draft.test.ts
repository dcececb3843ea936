import { expect, it } from 'vitest';
import { draftOf, readJudge } from './judge-draft.ts';

const draft = { ...draftOf(undefined), name: 'Right or wrong', model: 'small', instructions: 'Is it right?' };

it('a judge is read from its form, and mistakes are named beside their field', () => {
  expect(readJudge({ ...draft, options: 'yes: It is\n\nno' })).toEqual({
    problems: {},
    request: {
      name: 'Right or wrong',
      description: '',
      model_name: 'small',
      instructions: 'Is it right?',
      output: {
        type: 'CLASSIFICATION',
        options: [
          { value: 'yes', description: 'It is' },
          { value: 'no', description: '' },
        ],
      },
    },
  });
  expect(readJudge({ ...draft, name: 'x', model: '', options: 'a\na' }).problems).toEqual({
    name: 'A name has 5 to 50 characters.',
    model: 'Choose a model.',
    options: 'Each value once.',
  });
  expect(readJudge({ ...draft, type: 'REGRESSION', min: '5', max: '5' }).problems).toEqual({
    max: 'Enter a number above the least.',
  });
  expect(readJudge({ ...draft, type: 'REGRESSION', max: '10' }).request?.output).toMatchObject({ min: 0, max: 10 });
});
