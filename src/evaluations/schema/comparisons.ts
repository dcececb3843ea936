import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';
import { IdText } from './common.ts';

const LISTED_MAX = 100;

export const ComparisonQuery = z.strictObject({
  baseline: IdText.min(1).describe('The id of the run to compare with'),
  label: IdText.optional().describe('For a judge that classifies: the label that counts as good'),
  limit: queryInt().min(1).max(LISTED_MAX).default(20).describe('Records that are listed as better, and as worse'),
});
export type ComparisonQuery = z.output<typeof ComparisonQuery>;

const interval = z
  .object({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() })
  .describe('With its interval at 95 % confidence; null where there are too few records');
const Changed = z
  .object({
    dataset_record_id: z.string(),
    record_id: z.string(),
    baseline_record_id: z.string(),
    value: z.number(),
    baseline_value: z.number(),
  })
  .meta({ id: 'EvaluationChangedRecord' });

export const EvaluatorComparison = z
  .object({
    evaluator: z.string(),
    label: z.string().nullable(),
    records: z.int().describe('Records that both runs have a score for'),
    better: z.int(),
    worse: z.int(),
    same: z.int(),
    average: interval,
    baseline_average: interval,
    difference: interval,
    p_value: z.number().describe('Of the exact sign test on the records that changed'),
    verdict: z.enum(['better', 'worse', 'no_clear_difference']),
    records_better: z.array(Changed),
    records_worse: z.array(Changed),
  })
  .meta({ id: 'EvaluatorComparison' });
export type EvaluatorComparison = z.output<typeof EvaluatorComparison>;

export const RunComparison = z
  .object({ run_id: z.string(), baseline_id: z.string(), evaluators: z.array(EvaluatorComparison) })
  .meta({ id: 'EvaluationRunComparison' });
export type RunComparison = z.output<typeof RunComparison>;
