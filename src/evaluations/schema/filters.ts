import { z } from 'zod';
import { NAME_LENGTH_MAX, storable } from './common.ts';

const FILTERS_MAX = 20;
const IDS_MAX = 100;
const VALUE_LENGTH_MAX = 2000;

const text = storable(NAME_LENGTH_MAX);
const combinator = z.enum(['and', 'or']).default('and');
const ids = z.array(text).max(IDS_MAX);
const optional = <T extends z.ZodType>(schema: T) => schema.nullable().optional();
const groupOf = <T extends z.ZodType>(id: string, filter: T) =>
  z.strictObject({ combinator, filters: z.array(filter).max(FILTERS_MAX).default([]) }).meta({ id });

const ScoreFilter = z
  .strictObject({
    evaluator_name: text,
    metric: text,
    operator: z.enum(['gt', 'gte', 'lt', 'lte', 'eq']),
    value: z.union([z.number(), text]),
  })
  .meta({ id: 'ScoreFilter' });
export type ScoreFilter = z.output<typeof ScoreFilter>;
export const ScoreFilterGroup = groupOf('ScoreFilterGroup', ScoreFilter);

const GoalStatusFilter = z
  .strictObject({
    values: z.array(z.enum(['passed', 'failed', 'not_evaluated'])).max(3),
    evaluator_name: optional(text),
  })
  .meta({ id: 'GoalStatusFilter' });
export type GoalStatusFilter = z.output<typeof GoalStatusFilter>;
const GoalStatusFilterGroup = groupOf('GoalStatusFilterGroup', GoalStatusFilter);

const searchOperator = z.enum(['contains', 'equals']).default('contains');
const ContentSearchFilter = z
  .strictObject({ value: storable(VALUE_LENGTH_MAX), path: optional(text), operator: searchOperator })
  .meta({ id: 'ContentSearchFilter' });
export type ContentSearchFilter = z.output<typeof ContentSearchFilter>;
const ContentSearchFilterGroup = groupOf('ContentSearchFilterGroup', ContentSearchFilter);

const valueOperator = z.enum(['eq', 'contains', 'gt', 'gte', 'lt', 'lte']);
const keyed = {
  key: text,
  operator: valueOperator,
  value: z.union([z.number(), storable(VALUE_LENGTH_MAX), z.boolean()]),
};
const MetadataFilter = z.strictObject(keyed).meta({ id: 'MetadataFilter' });
const SystemParamFilter = z.strictObject(keyed).meta({ id: 'SystemParamFilter' });
export type KeyedFilter = z.output<typeof MetadataFilter>;

const SystemNameFilter = z.strictObject({ value: text, operator: searchOperator }).meta({ id: 'SystemNameFilter' });
export type SystemNameFilter = z.output<typeof SystemNameFilter>;

const direction = z.enum(['asc', 'desc']).default('asc');
const Sort = z.discriminatedUnion('kind', [
  z
    .strictObject({ kind: z.literal('field'), field: z.literal('created_at'), direction })
    .meta({ id: 'FieldSortInput' }),
  z
    .strictObject({
      kind: z.literal('score'),
      evaluator_name: text,
      metric: z.enum(['avg', 'min', 'max', 'std']).default('avg'),
      direction,
    })
    .meta({ id: 'ScoreSortInput' }),
]);
export type Sort = z.output<typeof Sort>;

export const RecordFilter = z
  .strictObject({
    input_filters: optional(ContentSearchFilterGroup),
    output_filters: optional(ContentSearchFilterGroup),
    score_filters: optional(ScoreFilterGroup),
    goal_filters: optional(GoalStatusFilterGroup),
    sort: optional(Sort),
  })
  .meta({ id: 'EvaluationRunRecordFilterInput' });
export type RecordFilter = z.output<typeof RecordFilter>;

export const RunFilter = z
  .strictObject({
    run_ids: optional(ids),
    evaluation_ids: optional(ids),
    creator_ids: optional(ids),
    project_ids: optional(ids),
    ownership: optional(
      z
        .strictObject({
          combinator,
          creator_ids: ids.default([]),
          project_ids: ids.default([]),
          starred_by_me: z.boolean().default(false),
        })
        .meta({ id: 'RunOwnershipFilter' }),
    ),
    tags: optional(z.strictObject({ combinator, values: ids.default([]) }).meta({ id: 'TagFilter' })),
    score_filters: optional(ScoreFilterGroup),
    goal_filters: optional(GoalStatusFilterGroup),
    system: optional(
      z
        .strictObject({
          name: optional(groupOf('SystemNameFilterGroup', SystemNameFilter)),
          params: optional(groupOf('SystemParamFilterGroup', SystemParamFilter)),
        })
        .meta({ id: 'SystemFilter' }),
    ),
    metadata: optional(groupOf('MetadataFilterGroup', MetadataFilter)),
  })
  .meta({ id: 'EvaluationRunFilterInput' });
export type RunFilter = z.output<typeof RunFilter>;
