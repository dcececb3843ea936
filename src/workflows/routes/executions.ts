import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ExecutionParams, WorkflowExecutionResponse } from '../schema/executions.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows.executions'];

export function executionRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/workflows/executions/:execution_id',
      operationId: 'get_workflow_execution_v1_workflows_executions__execution_id__get',
      summary: 'Read an execution: its latest run',
      tags,
      permission: 'workflows:read',
      params: ExecutionParams,
      response: WorkflowExecutionResponse,
      handler: ({ scope, params }) => workflows.executions.get(scope, params.execution_id),
    }),
  ];
}
