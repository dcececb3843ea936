import { z } from 'zod';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  BatchExecutionBody,
  BatchExecutionResponse,
  QueryInvocationBody,
  QueryWorkflowResponse,
  ResetInvocationBody,
  SignalInvocationBody,
  SignalWorkflowResponse,
  UpdateInvocationBody,
  UpdateWorkflowResponse,
} from '../schema/control.ts';
import { ExecutionParams, ExecutionQuery, HistoryQuery, WorkflowExecutionResponse } from '../schema/executions.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows.executions'];
const execute = { tags, permission: 'workflows:execute' };
const read = { tags, permission: 'workflows:read' };

const ENDINGS = [
  ['cancel', 'Cancel', '; its code may clean up first'],
  ['terminate', 'Terminate', ' at once, without running its code'],
] as const;

export function executionRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/executions/:execution_id',
      operationId: 'get_workflow_execution_v1_workflows_executions__execution_id__get',
      summary: 'Read an execution: its latest run',
      params: ExecutionParams,
      query: ExecutionQuery,
      response: WorkflowExecutionResponse,
      handler: ({ scope, params, query }) =>
        workflows.executions.get(scope, params.execution_id, query.include_search_keys),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/executions/:execution_id/history',
      operationId: 'get_workflow_execution_history_v1_workflows_executions__execution_id__history_get',
      summary: 'Read the history of the latest run',
      params: ExecutionParams,
      query: HistoryQuery,
      response: z.unknown(),
      handler: ({ scope, params, query }) =>
        workflows.runs.executionHistory(scope, params.execution_id, query.decode_payloads),
    }),
    route({
      ...execute,
      method: 'POST',
      path: '/v1/workflows/executions/:execution_id/signals',
      stores: true,
      operationId: 'signal_workflow_execution_v1_workflows_executions__execution_id__signals_post',
      summary: 'Send a signal; it is stored until the workflow reads it',
      status: 202,
      params: ExecutionParams,
      body: SignalInvocationBody,
      largeBody: true,
      response: SignalWorkflowResponse,
      handler: ({ scope, params, body }) => workflows.executions.signal(scope, params.execution_id, body),
    }),
    route({
      ...read,
      method: 'POST',
      path: '/v1/workflows/executions/:execution_id/queries',
      operationId: 'query_workflow_execution_v1_workflows_executions__execution_id__queries_post',
      summary: 'Query an execution without changing it',
      params: ExecutionParams,
      body: QueryInvocationBody,
      largeBody: true,
      response: QueryWorkflowResponse,
      alsoAnswers: [504],
      handler: ({ scope, params, body, signal }) =>
        workflows.executions.query(scope, params.execution_id, body, signal),
    }),
    route({
      ...execute,
      method: 'POST',
      path: '/v1/workflows/executions/:execution_id/updates',
      stores: true,
      operationId: 'update_workflow_execution_v1_workflows_executions__execution_id__updates_post',
      summary: 'Send an update and wait for the result of its handler',
      params: ExecutionParams,
      body: UpdateInvocationBody,
      largeBody: true,
      response: UpdateWorkflowResponse,
      alsoAnswers: [504],
      handler: ({ scope, params, body, signal }) =>
        workflows.executions.update(scope, params.execution_id, body, signal),
    }),
    ...ENDINGS.map(([how, verb, detail]) =>
      route({
        ...execute,
        method: 'POST',
        path: `/v1/workflows/executions/:execution_id/${how}`,
        operationId: `${how}_workflow_execution_v1_workflows_executions__execution_id__${how}_post`,
        summary: `${verb} an execution${detail}`,
        status: 204,
        params: ExecutionParams,
        handler: ({ scope, params }) => workflows.executions.end(scope, params.execution_id, how),
      }),
    ),
    ...ENDINGS.map(([how, verb]) =>
      route({
        ...execute,
        method: 'POST',
        path: `/v1/workflows/executions/${how}`,
        operationId: `batch_${how}_workflow_executions_v1_workflows_executions_${how}_post`,
        summary: `${verb} several executions`,
        body: BatchExecutionBody,
        response: BatchExecutionResponse,
        handler: ({ scope, body }) => workflows.executions.endMany(scope, body.execution_ids, how),
      }),
    ),
    route({
      ...execute,
      method: 'POST',
      path: '/v1/workflows/executions/:execution_id/reset',
      operationId: 'reset_workflow_v1_workflows_executions__execution_id__reset_post',
      summary: 'Reset an execution to an earlier workflow task and continue in a new run',
      status: 204,
      params: ExecutionParams,
      body: ResetInvocationBody,
      handler: ({ scope, params, body }) => workflows.executions.reset(scope, params.execution_id, body),
    }),
  ];
}
