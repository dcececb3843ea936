import { z } from 'zod';
import { anyObject, Description, IdText, Metadata, Name, pageOf, Reference, Tags, times } from './common.ts';
import { EvaluatorRequest, EvaluatorV2 } from './evaluators.ts';
import { GoalResults, StatisticsByEvaluator } from './results.ts';
import { SystemRequest, SystemV2 } from './systems.ts';

export const GENERATIONS_MAX = 10;
const EVALUATORS_MAX = 20;
export const RECORDS_MAX = 100_000;

export const runStatuses = ['queued', 'running', 'stopping', 'stopped', 'completed', 'failed'] as const;
export type RunStatus = (typeof runStatuses)[number];

export const RunParams = z.strictObject({ run_id: IdText });
export const RecordParams = z.strictObject({ run_id: IdText, record_id: IdText });

export const plan = {
  dataset_id: IdText.min(1),
  evaluators: z.array(EvaluatorRequest).min(1).max(EVALUATORS_MAX),
  num_generations: z.int().min(1).max(GENERATIONS_MAX).default(1).describe('Answers to each record'),
};

export const CreateRunRequest = z
  .strictObject({
    name: Name.optional(),
    description: Description.optional(),
    tags: Tags.default([]),
    metadata: Metadata.default({}),
    system: SystemRequest,
    ...plan,
  })
  .meta({ id: 'CreateEvaluationRunRequest' });
export type CreateRunRequest = z.output<typeof CreateRunRequest>;

export const RunEstimate = z
  .object({
    records: z.int(),
    requests: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cost: z.number().describe('In the currency of the configuration'),
  })
  .meta({ id: 'EvaluationRunEstimate' });
export type RunEstimate = z.output<typeof RunEstimate>;

export const ResumeRunRequest = z
  .strictObject({ retry_failed: z.boolean().default(false).describe('Answer the records that failed once more') })
  .meta({ id: 'ResumeEvaluationRunRequest' });
export type ResumeRunRequest = z.output<typeof ResumeRunRequest>;

const Score = z
  .object({
    id: z.string(),
    ...times,
    value: z.union([z.number(), z.string()]).nullable(),
    metadata_: anyObject,
    status: z.string(),
    rationale: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'EvaluationRunScoreV2' });

const run = {
  id: z.string(),
  ...times,
  creator_id: z.string(),
  evaluation_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  metadata_: anyObject,
  num_generations: z.int(),
  evaluators: z.array(EvaluatorV2),
  run_info: anyObject.nullable(),
  status: z.string(),
  dataset_id: z.string().nullable(),
  run_evaluators: z.array(EvaluatorV2),
  system: SystemV2.nullable(),
  statistics: StatisticsByEvaluator,
  goal_results: GoalResults,
  passed: z.boolean().nullable(),
  run_scores: z.record(z.string(), Score),
  optimization: z
    .object({ optimization_id: z.string(), name: z.string() })
    .meta({ id: 'RunOptimizationRef' })
    .nullable(),
};
export const Run = z.object(run).meta({ id: 'EvaluationRunV2Response' });
export type Run = z.output<typeof Run>;
export const RunWithRefs = z
  .object({
    ...run,
    evaluation: Reference.meta({ id: 'RunEvaluationSummary' }).nullable(),
    project: Reference.meta({ id: 'RunProjectSummary' }).nullable(),
  })
  .meta({ id: 'EvaluationRunV2WithRefsResponse' });
export type RunWithRefs = z.output<typeof RunWithRefs>;
export const Runs = z
  .object({ runs: pageOf('PaginatedResultEvaluationRunV2Response', Run) })
  .meta({ id: 'ListEvaluationRunsResponse' });
export const RunsWithRefs = z
  .object({ runs: pageOf('PaginatedResultEvaluationRunV2WithRefsResponse', RunWithRefs) })
  .meta({ id: 'SearchAllEvaluationRunsResponse' });

const Generation = z
  .object({
    id: z.string(),
    ...times,
    output: z.unknown().nullable(),
    metadata_: anyObject,
    status: z.string(),
    error: z.string().nullable(),
    scores: z.record(z.string(), z.array(Score)),
    statistics: StatisticsByEvaluator,
    goal_results: GoalResults,
  })
  .meta({ id: 'EvaluationRunGenerationV2' });

export const RunRecord = z
  .object({
    id: z.string(),
    ...times,
    input: z.unknown(),
    dataset_record_id: z.string().nullable(),
    output_record: z
      .object({
        id: z.string(),
        ...times,
        metadata_: anyObject,
        record_info: anyObject.nullable(),
        generations: z.array(Generation),
        statistics: StatisticsByEvaluator,
        goal_results: GoalResults,
      })
      .meta({ id: 'EvaluationRunOutputRecordV2' })
      .nullable(),
  })
  .meta({ id: 'EvaluationRunRecordV2Response' });
export type RunRecord = z.output<typeof RunRecord>;
export const RunRecords = z
  .object({ records: pageOf('PaginatedResultEvaluationRunRecordV2Response', RunRecord) })
  .meta({ id: 'ListEvaluationRunRecordsResponse' });
