import { type AnyRoute, route } from '../../kit/http/index.ts';
import { PageQuery } from '../schema/common.ts';
import {
  CreateOptimizationRequest,
  OptimizationDetail,
  OptimizationParams,
  Optimizations,
  OptimizationsQuery,
  Trials,
} from '../schema/optimizations.ts';
import type { OptimizationService } from '../service/optimizations.ts';

const PATH = '/v1/observability/optimizations';

export function optimizationRoutes(optimizations: OptimizationService): AnyRoute[] {
  const read = { tags: ['observability'], permission: 'evaluations:read' };
  const write = { tags: ['observability'], permission: 'evaluations:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: PATH,
      operationId: 'list_optimizations_v1_observability_optimizations_get',
      summary: 'List optimizations, newest first',
      query: OptimizationsQuery,
      response: Optimizations,
      handler: async ({ scope, query }) => ({ optimizations: await optimizations.list(scope, query) }),
    }),
    route({
      ...write,
      method: 'POST',
      path: PATH,
      operationId: 'create_optimization',
      summary: 'Try several models, prompt versions or agents on one dataset, and name the best',
      creates: true,
      status: 201,
      body: CreateOptimizationRequest,
      response: OptimizationDetail,
      handler: ({ scope, body }) => optimizations.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${PATH}/:optimization_id`,
      operationId: 'get_optimization_v1_observability_optimizations__optimization_id__get',
      summary: 'Read an optimization',
      params: OptimizationParams,
      response: OptimizationDetail,
      handler: ({ scope, params }) => optimizations.get(scope, params.optimization_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${PATH}/:optimization_id/trials`,
      operationId: 'list_optimization_trials_v1_observability_optimizations__optimization_id__trials_get',
      summary: 'List the trials of an optimization with their runs',
      params: OptimizationParams,
      query: PageQuery,
      response: Trials,
      handler: async ({ scope, params, query }) => ({
        trials: await optimizations.listTrials(scope, params.optimization_id, query),
      }),
    }),
  ];
}
