import { z } from 'zod';
import { type Field, SpanId, TraceId } from '../../traces/index.ts';
import { IdText, storable } from './common.ts';

const EXPRESSION_LENGTH_MAX = 4096;
const SLUGS_MAX = 50;
const expression = storable(EXPRESSION_LENGTH_MAX).nullable().optional();

export const SpanEvaluationsRequest = z
  .strictObject({ search_expression: expression })
  .meta({ id: 'SpanEvaluationsRequest' });
export const PipelineResultsRequest = z
  .strictObject({ pipeline_config_slugs: z.array(IdText).min(1).max(SLUGS_MAX), search_expression: expression })
  .meta({ id: 'PipelineResultsRequest' });
export type PipelineResultsRequest = z.output<typeof PipelineResultsRequest>;

const feedOf = <T extends z.ZodType>(id: string, item: T) =>
  z.object({ results: z.array(item), next: z.string().nullable(), cursor: z.string().nullable() }).meta({ id });

export const GetSpanEvaluation = z
  .object({
    customer_id: z.string(),
    organization_id: z.string(),
    workspace_id: z.string(),
    user_id: z.string(),
    trace_id: TraceId,
    span_id: SpanId,
    response_id: z.string(),
    conversation_id: z.string(),
    timestamp: z.string(),
    evaluation_name: z.string(),
    score_value: z.number(),
    score_label: z.string(),
    explanation: z.string(),
    metadata: z.record(z.string(), z.string()),
    service_account_id: z.string(),
  })
  .meta({ id: 'GetSpanEvaluation' });
export type GetSpanEvaluation = z.output<typeof GetSpanEvaluation>;
export const GetSpanEvaluations = z
  .object({ span_evaluations: feedOf('FeedResultGetSpanEvaluation', GetSpanEvaluation) })
  .meta({ id: 'GetSpanEvaluations' });

export const PipelineResult = z
  .object({
    trace_id: z.string(),
    span_id: z.string(),
    span_name: z.string(),
    duration_ns: z.int(),
    evaluated_at: z.string(),
    judge_scores: z.record(z.string(), z.number()),
    judge_labels: z.record(z.string(), z.string()),
    judge_explanations: z.record(z.string(), z.string()),
  })
  .meta({ id: 'PipelineResult' });
export type PipelineResult = z.output<typeof PipelineResult>;
export const GetPipelineResults = z
  .object({ pipeline_results: feedOf('FeedResultGetPipelineResult', PipelineResult) })
  .meta({ id: 'GetPipelineResults' });

const rows: [name: string, label: string, type: Field['type'], place?: object][] = [
  ['timestamp', 'Time of the judgement', 'TIMESTAMP', { time: 'start_time' }],
  ['trace_id', 'Trace', 'TEXT'],
  ['span_id', 'Span', 'TEXT'],
  ['span_name', 'Name of the span', 'TEXT'],
  ['user_id', 'User', 'TEXT'],
  ['response_id', 'Response', 'TEXT'],
  ['conversation_id', 'Conversation', 'TEXT'],
  ['evaluation_name', 'Evaluation', 'ENUM'],
  ['config_slug', 'Pipeline configuration', 'ENUM'],
  ['score_value', 'Score', 'FLOAT'],
  ['score_label', 'Label', 'ENUM'],
  ['explanation', 'Explanation', 'TEXT'],
  ['metadata', 'Metadata', 'MAP', { detail: 'metadata' }],
];

/** The same kinds of places as those of spans, over the table of their evaluations. */
export const spanEvaluationFields: readonly Field[] = rows.map(([name, label, type, place = { column: name }]) => ({
  ...{ name, label, type, group: 'Evaluation', attribute: null },
  place: place as Field['place'],
}));
