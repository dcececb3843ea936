import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  DeleteSearchKeysRequest,
  DeleteSearchKeysResponse,
  ExecutorIdentityRequest,
  ExecutorIdentityResponse,
  GraphOfParams,
  GraphParams,
  GraphRequest,
  GraphResponse,
  RegisterExecutionRequest,
  RegisterExecutionResponse,
  SearchKeysParams,
  UpsertSearchKeysRequest,
  UpsertSearchKeysResponse,
} from '../schema/worker-executions.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const work = { tags: ['workflows.workers'], permission: 'workflows:work' };

/** For workers of the official SDK. */
export function workerExecutionRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/executions/register',
      stores: true,
      operationId: 'workflows_workers_register_execution',
      summary: 'Register the start of a run with the hash of its execution token',
      body: RegisterExecutionRequest,
      response: RegisterExecutionResponse,
      handler: ({ scope, body }) => workflows.workerExecutions.register(scope, body),
    }),
    route({
      ...work,
      method: 'PATCH',
      path: '/v1/workflows/executions/search_keys/:temporal_workflow_id',
      operationId: 'workflows_workers_upsert_search_keys',
      summary: 'Set the search keys of a run',
      params: SearchKeysParams,
      body: UpsertSearchKeysRequest,
      response: UpsertSearchKeysResponse,
      handler: ({ scope, params, body }) => workflows.workerSearchKeys.upsert(scope, params.temporal_workflow_id, body),
    }),
    route({
      ...work,
      method: 'DELETE',
      path: '/v1/workflows/executions/search_keys/:temporal_workflow_id',
      operationId: 'workflows_workers_delete_search_keys',
      summary: 'Remove search keys of a run',
      params: SearchKeysParams,
      body: DeleteSearchKeysRequest,
      response: DeleteSearchKeysResponse,
      handler: ({ scope, params, body }) => workflows.workerSearchKeys.delete(scope, params.temporal_workflow_id, body),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/workers/executor-identity',
      operationId: 'workflows_workers_executor_identity',
      summary: 'Read the identity for which an execution runs',
      body: ExecutorIdentityRequest,
      response: ExecutorIdentityResponse,
      handler: ({ scope, body }) => workflows.workerExecutions.identify(scope, body.execution_token),
    }),
    route({
      ...work,
      method: 'POST',
      path: '/v1/workflows/:workflow_identifier/graphs',
      stores: true,
      operationId: 'workflows_workers_put_graph',
      summary: 'Store the graph of a workflow',
      params: GraphParams,
      body: GraphRequest,
      response: GraphResponse,
      handler: ({ scope, params, body }) => workflows.graphs.put(scope, params.workflow_identifier, body),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/:workflow_identifier/graphs/:registration_id',
      operationId: 'workflows_get_graph',
      summary: 'Read the graph of a workflow',
      tags: ['workflows'],
      permission: 'workflows:read',
      params: GraphOfParams,
      response: GraphResponse,
      handler: ({ scope, params }) => workflows.graphs.get(scope, params.workflow_identifier, params.registration_id),
    }),
  ];
}
