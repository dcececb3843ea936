import { expect, it } from 'vitest';
import { labelsOf, scoresOf } from './scores.ts';

const evaluator = (name: string, min_value: number | null, max_value: number | null) =>
  ({ name, min_value, max_value }) as Parameters<typeof scoresOf>[0]['evaluators'][number];
const numeric = { type: 'numeric', avg: 3, min: 1, max: 5, std: 1, count: 4, sample_count: 4, values: null } as const;
const categorical: Parameters<typeof labelsOf>[0] & object = {
  type: 'categorical',
  mode: ['good'],
  count: 4,
  values: null,
  excluded_count: 0,
  confusion_matrix: null,
  frequencies: { bad: 1, good: 3 },
};

it('scores are shown within the range of their evaluator, labels by how often they were given', () => {
  const scores = scoresOf({
    evaluators: [evaluator('Length', 1, 5), evaluator('Right', null, null), evaluator('Unknown', 0, 1)],
    statistics: { Length: numeric, Right: categorical },
  });
  expect(scores).toEqual([
    { evaluator: 'Length', text: '3', share: 0.5 },
    { evaluator: 'Right', text: 'good 3 of 4', share: 0.75 },
  ]);
  expect(labelsOf(categorical)).toEqual(['good', 'bad']);
  expect(labelsOf(numeric)).toEqual([]);
});
