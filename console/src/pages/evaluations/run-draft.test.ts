import { expect, it } from 'vitest';
import { EMPTY_DRAFT, readRun } from './run-draft.ts';

it('a run is read from its form, and what is missing is named beside its field', () => {
  expect(readRun(EMPTY_DRAFT).problems).toEqual({
    dataset: 'Choose a dataset.',
    model: 'Choose a model.',
    evaluators: 'Choose at least one judge or check.',
  });
  const draft = { ...EMPTY_DRAFT, dataset: 'd', judges: ['j'], checks: ['contains'] as const, answers: '2' };
  expect(readRun({ ...draft, kind: 'prompt', prompt: 'p', version: '3' })).toEqual({
    problems: {},
    request: {
      dataset_id: 'd',
      system: { kind: 'prompt', prompt: 'p', version: 3 },
      evaluators: [{ judge: 'j' }, { check: 'contains' }],
      num_generations: 2,
    },
  });
  expect(readRun({ ...draft, kind: 'recorded' }).request?.system).toEqual({ kind: 'recorded' });
  expect(readRun({ ...draft, kind: 'agent', answers: '11' }).problems).toEqual({
    agent: 'Choose an agent.',
    answers: 'Enter a number from 1 to 10.',
  });
});
