import { z } from 'zod';

export const NumericStatistics = z
  .object({
    type: z.literal('numeric'),
    values: z.null(),
    sample_count: z.int(),
    avg: z.number().nullable(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    std: z.number().nullable(),
    count: z.int(),
  })
  .meta({ id: 'NumericStatistics' });

export const CategoricalStatistics = z
  .object({
    type: z.literal('categorical'),
    frequencies: z.record(z.string(), z.int()),
    mode: z.array(z.string()),
    count: z.int(),
    values: z.null(),
    excluded_count: z.int(),
    confusion_matrix: z.null(),
  })
  .meta({ id: 'CategoricalStatistics' });

export const EvaluatorStatistics = z.union([NumericStatistics, CategoricalStatistics]);
export type EvaluatorStatistics = z.output<typeof EvaluatorStatistics>;
export const StatisticsByEvaluator = z.record(z.string(), EvaluatorStatistics);

export const GoalResult = z
  .object({
    passed: z.boolean().nullable(),
    results: z.array(
      z
        .object({
          metric: z.string(),
          operator: z.string(),
          actual: z.number(),
          passed: z.boolean(),
          target: z.number().nullable(),
          target_min: z.number().nullable(),
          target_max: z.number().nullable(),
          direction: z.enum(['higher_is_better', 'lower_is_better']).nullable(),
        })
        .meta({ id: 'GoalResultItem' }),
    ),
  })
  .meta({ id: 'GoalResult' });
export type GoalResult = z.output<typeof GoalResult>;
export const GoalResults = z.record(z.string(), GoalResult);
export type GoalResults = z.output<typeof GoalResults>;

export const RunStatisticsResponse = z
  .object({
    run_id: z.string(),
    statistics: StatisticsByEvaluator,
    goal_results: GoalResults,
    passed: z.boolean().nullable(),
  })
  .meta({ id: 'RunStatisticsResponse' });
export type RunStatisticsResponse = z.output<typeof RunStatisticsResponse>;
