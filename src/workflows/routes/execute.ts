import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ExecuteResponse, WorkflowExecutionRequest } from '../schema/executions.ts';
import { RegistrationParams, WorkflowParams } from '../schema/workflows.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows'];

export function executeRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/workflows/:workflow_identifier/execute',
      operationId: 'execute_workflow_v1_workflows__workflow_identifier__execute_post',
      summary: 'Start an execution of a workflow, and wait for its result if asked to',
      tags,
      permission: 'workflows:execute',
      creates: 'by-room',
      params: WorkflowParams,
      body: WorkflowExecutionRequest,
      response: ExecuteResponse,
      alsoAnswers: [504],
      handler: (call) => workflows.execute(call, { identifier: call.params.workflow_identifier }, call.body),
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/registrations/:workflow_registration_id/execute',
      operationId: 'execute_workflow_registration_v1_workflows_registrations__workflow_registration_id__execute_post',
      summary: 'Start an execution of the workflow as one registration has it',
      tags,
      permission: 'workflows:execute',
      creates: 'by-room',
      params: RegistrationParams,
      body: WorkflowExecutionRequest,
      response: ExecuteResponse,
      alsoAnswers: [504],
      handler: (call) => workflows.execute(call, { registrationId: call.params.workflow_registration_id }, call.body),
    }),
  ];
}
