import { type AnyRoute, route, sse } from '../../kit/http/index.ts';
import { toErrorEvent } from '../events/show-event.ts';
import { DeploymentParams } from '../schema/deployments.ts';
import { ExecutionParams } from '../schema/executions.ts';
import {
  DeploymentLogSearchResponse,
  DeploymentLogSse,
  DeploymentLogStreamQuery,
  DeploymentLogsQuery,
  ExecutionLogSearchResponse,
  ExecutionLogSse,
  ExecutionLogStreamQuery,
  ExecutionLogsQuery,
  WorkerLogsRequest,
  WorkerLogsResponse,
} from '../schema/logs.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const resumable = { resumable: true, toErrorEvent };

export function logRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/workflows/workers/logs',
      stores: true,
      operationId: 'workflows_workers_logs',
      summary: 'Store log records of workers, workflows and steps',
      tags: ['workflows.workers'],
      permission: 'workflows:work',
      body: WorkerLogsRequest,
      largeBody: true,
      response: WorkerLogsResponse,
      handler: ({ scope, body }) => workflows.logs.keep(scope, body),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/executions/:execution_id/logs',
      operationId: 'get_workflow_execution_logs',
      summary: 'Search the logs of an execution',
      tags: ['workflows.executions'],
      permission: 'workflows:read',
      params: ExecutionParams,
      query: ExecutionLogsQuery,
      response: ExecutionLogSearchResponse,
      handler: ({ scope, params, query }) => workflows.logs.ofExecution(scope, params.execution_id, query),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/executions/:execution_id/logs/stream',
      operationId: 'stream_workflow_execution_logs',
      summary: 'Stream the logs of an execution',
      tags: ['workflows.executions'],
      permission: 'workflows:read',
      params: ExecutionParams,
      query: ExecutionLogStreamQuery,
      streams: ExecutionLogSse,
      resumes: true,
      handler: async (call) =>
        sse(await workflows.logs.followExecution(call, call.params.execution_id, call.query), resumable),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/deployments/:name/logs',
      operationId: 'get_deployment_logs',
      summary: 'Search the logs of all workers of a deployment',
      tags: ['workflows.deployments'],
      permission: 'workflows:read',
      params: DeploymentParams,
      query: DeploymentLogsQuery,
      response: DeploymentLogSearchResponse,
      handler: ({ scope, params, query }) => workflows.logs.ofDeployment(scope, params.name, query),
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/deployments/:name/logs/stream',
      operationId: 'stream_deployment_logs',
      summary: 'Stream the logs of all workers of a deployment',
      tags: ['workflows.deployments'],
      permission: 'workflows:read',
      params: DeploymentParams,
      query: DeploymentLogStreamQuery,
      streams: DeploymentLogSse,
      resumes: true,
      handler: async (call) =>
        sse(await workflows.logs.followDeployment(call, call.params.name, call.query), resumable),
    }),
  ];
}
