import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ExecuteResponse, WorkflowExecutionRequest } from '../schema/executions.ts';
import { RegistrationParams, WorkflowParams } from '../schema/workflows.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const execute = { tags: ['workflows'], permission: 'workflows:execute' };

export function executeRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...execute,
      method: 'POST',
      path: '/v1/workflows/:workflow_identifier/execute',
      operationId: 'execute_workflow_v1_workflows__workflow_identifier__execute_post',
      summary: 'Start an execution of a workflow, and optionally wait for its result',
      creates: 'by-room',
      params: WorkflowParams,
      body: WorkflowExecutionRequest,
      largeBody: true,
      response: ExecuteResponse,
      alsoAnswers: [504],
      handler: (call) => workflows.execute(call, { identifier: call.params.workflow_identifier }, call.body),
    }),
    route({
      ...execute,
      method: 'POST',
      path: '/v1/workflows/registrations/:workflow_registration_id/execute',
      operationId: 'execute_workflow_registration_v1_workflows_registrations__workflow_registration_id__execute_post',
      summary: 'Start an execution of one registration of a workflow',
      creates: 'by-room',
      params: RegistrationParams,
      body: WorkflowExecutionRequest,
      largeBody: true,
      response: ExecuteResponse,
      alsoAnswers: [504],
      handler: (call) => workflows.execute(call, { registrationId: call.params.workflow_registration_id }, call.body),
    }),
  ];
}
