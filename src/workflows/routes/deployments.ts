import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  CreateDeploymentRequest,
  DeploymentDetailResponse,
  DeploymentListResponse,
  DeploymentParams,
  DeploymentQuery,
  DeploymentsQuery,
  DeploymentWorkerListResponse,
  DeploymentWorkersQuery,
  UpdateDeploymentRequest,
} from '../schema/deployments.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows.deployments'];
const write = { tags, permission: 'workflows:write' };
const read = { tags, permission: 'workflows:read' };
const path = '/v1/workflows/deployments';
const params = DeploymentParams;
const status = 202;

export function deploymentRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path,
      operationId: 'list_deployments_v1_workflows_deployments_get',
      summary: 'List the deployments of registered workers',
      query: DeploymentsQuery,
      response: DeploymentListResponse,
      handler: ({ scope, query }) => workflows.deployments.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${path}/:name`,
      operationId: 'get_deployment_v1_workflows_deployments__name__get',
      summary: 'Read a deployment and its workers',
      params,
      query: DeploymentQuery,
      response: DeploymentDetailResponse,
      handler: ({ scope, params, query }) => workflows.deployments.get(scope, params.name, query.workflow_name),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${path}/:name/workers`,
      operationId: 'list_deployment_workers_v1_workflows_deployments__name__workers_get',
      summary: 'List the workers of a deployment',
      params,
      query: DeploymentWorkersQuery,
      response: DeploymentWorkerListResponse,
      handler: ({ scope, params, query }) => workflows.deployments.workers(scope, params.name, query),
    }),
    route({
      ...write,
      method: 'POST',
      path,
      operationId: 'create_deployment_v1_workflows_deployments_post',
      summary: 'Build a deployment from a repository (not supported: start workers yourself)',
      status,
      body: CreateDeploymentRequest,
      handler: () => workflows.deployments.refuseManaged(),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: `${path}/:name`,
      operationId: 'update_deployment_v1_workflows_deployments__name__patch',
      summary: 'Change a built deployment (not supported)',
      status,
      params,
      body: UpdateDeploymentRequest,
      handler: ({ scope, params }) => workflows.deployments.refuseManagedOf(scope, params.name),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: `${path}/:name`,
      operationId: 'delete_deployment_v1_workflows_deployments__name__delete',
      summary: 'Delete a built deployment (not supported)',
      status,
      params,
      handler: ({ scope, params }) => workflows.deployments.refuseManagedOf(scope, params.name),
    }),
    ...(['stop', 'start', 'restart'] as const).map((action) =>
      route({
        ...write,
        method: 'POST',
        path: `${path}/:name/${action}`,
        operationId: `${action}_deployment_v1_workflows_deployments__name__${action}_post`,
        summary: `${action.charAt(0).toUpperCase()}${action.slice(1)} a built deployment (not supported)`,
        status,
        params,
        handler: ({ scope, params }) => workflows.deployments.refuseManagedOf(scope, params.name),
      }),
    ),
  ];
}
