import { z } from 'zod';
import { IdText, Name, times } from './common.ts';

export const SCORES_MAX = 10;
const GOAL_VALUES_MAX = 50;
const WEIGHT_MAX = 1000;

export const goalOperators = ['gte', 'gt', 'lte', 'lt', 'eq', 'between', 'in'] as const;
export const metrics = ['avg', 'min', 'max', 'std', 'rate'] as const;

export const Goal = z
  .strictObject({
    operator: z.enum(goalOperators).default('gte'),
    value: z.union([z.number(), IdText]).nullable().optional(),
    min: z.number().nullable().optional(),
    max: z.number().nullable().optional(),
    values: z.array(IdText).max(GOAL_VALUES_MAX).nullable().optional(),
    metric: z.enum(metrics).nullable().optional().describe('`rate` is the share of scores whose label is in `values`'),
  })
  .meta({ id: 'EvaluationGoalRequest' });
export type Goal = z.output<typeof Goal>;

/** A goal on labels: the share of scores that have one of them. */
export const isRate = ({ metric, operator, values, value }: Goal): boolean =>
  metric === 'rate' || operator === 'in' || (values?.length ?? 0) > 0 || typeof value === 'string';
export const labelsOf = ({ values, value }: Goal): string[] =>
  values?.length ? values : typeof value === 'string' ? [value] : [];
/** Of a rate: all, unless a number is given. */
export const rateOf = ({ value, min }: Goal): number => (typeof value === 'number' ? value : (min ?? 1));

export const checks = ['exact_match', 'contains', 'valid_json'] as const;
export type Check = (typeof checks)[number];

/** A judge, or a check that needs no model. */
export const EvaluatorRequest = z
  .strictObject({
    judge: IdText.min(1).optional().describe('Id or name of a judge'),
    check: z.enum(checks).optional().describe('Compares with `properties.expected`, or the recorded answer'),
    name: Name.optional().describe('The name of the judge or check, unless it is given'),
    num_scores: z.int().min(1).max(SCORES_MAX).default(1),
    weight: z.number().min(0).max(WEIGHT_MAX).default(1),
    direction: z.enum(['maximize', 'minimize']).default('maximize'),
    goal: Goal.optional().describe('What a record must reach'),
    aggregate_goal: Goal.optional().describe('What the run as a whole must reach'),
  })
  .meta({ id: 'EvaluatorRequest' });
export type EvaluatorRequest = z.output<typeof EvaluatorRequest>;

export type JudgeOutput =
  | { type: 'CLASSIFICATION'; options: { value: string; description: string }[] }
  | { type: 'REGRESSION'; min: number; max: number; min_description: string; max_description: string };

/** A judge as it was when the run began; a later change of it does not change the run. */
export type JudgeDefinition = {
  id: string;
  name: string;
  description: string;
  model_name: string;
  instructions: string;
  tools: string[];
  output: JudgeOutput;
};

export type Evaluator = {
  id: string;
  name: string;
  description: string | null;
  judge: JudgeDefinition | null;
  check: Check | null;
  num_scores: number;
  weight: number;
  direction: 'maximize' | 'minimize';
  min_value: number | null;
  max_value: number | null;
  goal: Goal | null;
  aggregate_goal: Goal | null;
};

const GoalSpec = z
  .object({
    operator: z.string().nullable(),
    value: z.union([z.number(), z.string()]).nullable(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    values: z.array(z.string()).nullable(),
    metric: z.string().nullable(),
  })
  .meta({ id: 'GoalSpec' });

export const EvaluatorV2 = z
  .object({
    id: z.string(),
    ...times,
    name: z.string(),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    num_scores: z.int(),
    goal: GoalSpec.nullable(),
    aggregate_goal: GoalSpec.nullable(),
    statistics: z.null(),
    weight: z.number(),
    direction: z.enum(['maximize', 'minimize']),
    min_value: z.number().nullable(),
    max_value: z.number().nullable(),
  })
  .meta({ id: 'EvaluatorV2' });
export type EvaluatorV2 = z.output<typeof EvaluatorV2>;
