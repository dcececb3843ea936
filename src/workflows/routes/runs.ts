import { z } from 'zod';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  HistoryQuery,
  RunParams,
  RunsQuery,
  WorkflowExecutionListResponse,
  WorkflowExecutionResponse,
} from '../schema/executions.ts';
import { MetricsParams, MetricsQuery, WorkflowMetrics } from '../schema/metrics.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const read = { tags: ['workflows.runs'], permission: 'workflows:read' };

export function runRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/runs',
      operationId: 'list_runs_v1_workflows_runs_get',
      summary: 'List runs, newest first by default',
      query: RunsQuery,
      response: WorkflowExecutionListResponse,
      handler: ({ scope, query }) => workflows.runs.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/runs/:run_id',
      operationId: 'get_run_v1_workflows_runs__run_id__get',
      summary: 'Read one run',
      params: RunParams,
      response: WorkflowExecutionResponse,
      handler: ({ scope, params }) => workflows.runs.get(scope, params.run_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/runs/:run_id/history',
      operationId: 'get_run_history_v1_workflows_runs__run_id__history_get',
      summary: 'Read the history of one run',
      params: RunParams,
      query: HistoryQuery,
      response: z.unknown(),
      handler: ({ scope, params, query }) => workflows.runs.history(scope, params.run_id, query.decode_payloads),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/:workflow_name/metrics',
      operationId: 'get_workflow_metrics_v1_workflows__workflow_name__metrics_get',
      summary: 'Read the metrics of a workflow: counts, latency and retries of its runs',
      tags: ['workflows.metrics'],
      permission: 'workflows:read',
      params: MetricsParams,
      query: MetricsQuery,
      response: WorkflowMetrics,
      handler: ({ scope, params, query }) => workflows.metrics.get(scope, params.workflow_name, query),
    }),
  ];
}
