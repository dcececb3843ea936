import { z } from 'zod';
import { queryRepeated } from '../../kit/http/index.ts';
import { anyObject, Description, IdText, Name, PageQuery, pageOf, Reference, storable, Tags, times } from './common.ts';
import { metrics } from './evaluators.ts';
import { plan, Run } from './runs.ts';
import { SystemRequest } from './systems.ts';

const CANDIDATES_MAX = 20;
const STEER_LENGTH_MAX = 5000;

const filter = IdText.nullable().optional();
export const OptimizationsQuery = PageQuery.extend({
  project: filter,
  evaluation: filter,
  status: filter,
  algorithm: filter,
  tags: queryRepeated(IdText).max(50).optional(),
});
export type OptimizationsQuery = z.output<typeof OptimizationsQuery>;
export const OptimizationParams = z.strictObject({ optimization_id: IdText });

export const CreateOptimizationRequest = z
  .strictObject({
    evaluation: IdText.min(1).describe('The slug of the evaluation'),
    name: Name,
    description: Description.optional(),
    steer: storable(STEER_LENGTH_MAX).optional(),
    tags: Tags.default([]),
    algorithm: z.literal('grid').default('grid'),
    candidates: z.array(SystemRequest).min(1).max(CANDIDATES_MAX),
    objective: z
      .strictObject({
        evaluator_name: Name,
        metric: z.enum(metrics).default('avg'),
        label: IdText.optional(),
      })
      .meta({ id: 'OptimizationObjective' }),
    ...plan,
  })
  .meta({ id: 'CreateOptimizationRequest' });
export type CreateOptimizationRequest = z.output<typeof CreateOptimizationRequest>;
export type Objective = CreateOptimizationRequest['objective'];

const optimization = {
  id: z.string(),
  ...times,
  creator_id: z.string(),
  project_id: z.string(),
  name: z.string(),
  algorithm: z.string(),
  status: z.string(),
  source: z.string(),
  evaluation_id: z.string().nullable(),
  description: z.string().nullable(),
  steer: z.string().nullable(),
  tags: z.array(z.string()),
  workflow_execution_id: z.string().nullable(),
  workflow_run_id: z.string().nullable(),
  objective_spec: anyObject.nullable(),
  outcome: anyObject.nullable(),
};
export const Optimization = z.object(optimization).meta({ id: 'Optimization' });
export type Optimization = z.output<typeof Optimization>;
const OptimizationReference = Reference.meta({ id: 'OptimizationReference' }).nullable();
export const OptimizationDetail = z
  .object({ ...optimization, evaluation: OptimizationReference, project: OptimizationReference })
  .meta({ id: 'OptimizationDetail' });
export type OptimizationDetail = z.output<typeof OptimizationDetail>;
export const Optimizations = z
  .object({ optimizations: pageOf('PaginatedResultOptimization', Optimization) })
  .meta({ id: 'ListOptimizationsResponse' });

export const Trial = z
  .object({
    id: z.string(),
    ...times,
    optimization_id: z.string(),
    algorithm_trial_key: z.string(),
    status: z.string(),
    metadata_: anyObject,
    parent_trial_id: z.string().nullable(),
    hypothesis: z.string().nullable(),
    resolution: z.string().nullable(),
    observations: z.array(
      z
        .object({
          run: Run,
          observation_type: z.string().nullable(),
          score: z.number().nullable(),
          metadata: anyObject,
        })
        .meta({ id: 'OptimizationTrialObservation' }),
    ),
  })
  .meta({ id: 'OptimizationTrialWithObservations' });
export type Trial = z.output<typeof Trial>;
export const Trials = z
  .object({ trials: pageOf('PaginatedResultOptimizationTrialWithObservations', Trial) })
  .meta({ id: 'ListOptimizationTrialsResponse' });
