import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  RegistrationParams,
  RegistrationQuery,
  RegistrationsQuery,
  WorkflowArchiveResponse,
  WorkflowBulkArchiveRequest,
  WorkflowBulkArchiveResponse,
  WorkflowBulkUnarchiveRequest,
  WorkflowBulkUnarchiveResponse,
  WorkflowGetResponse,
  WorkflowListResponse,
  WorkflowParams,
  WorkflowRegistrationGetResponse,
  WorkflowRegistrationListResponse,
  WorkflowsQuery,
  WorkflowTagsAddRequest,
  WorkflowUnarchiveResponse,
  WorkflowUpdateRequest,
  WorkflowUpdateResponse,
} from '../schema/workflows.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows'];
const read = { tags, permission: 'workflows:read' };
const write = { tags, permission: 'workflows:write' };

export function catalogueRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows',
      operationId: 'get_workflows_v1_workflows_get',
      summary: 'List the workflows of the workspace by display name',
      query: WorkflowsQuery,
      response: WorkflowListResponse,
      handler: ({ scope, query }) => workflows.catalogue.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/registrations',
      operationId: 'get_workflow_registrations_v1_workflows_registrations_get',
      summary: 'List registrations, newest first',
      query: RegistrationsQuery,
      response: WorkflowRegistrationListResponse,
      large: true,
      handler: ({ scope, query }) => workflows.registrations.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/registrations/:workflow_registration_id',
      operationId: 'get_workflow_registration_v1_workflows_registrations__workflow_registration_id__get',
      summary: 'Read one registration and whether it is active',
      params: RegistrationParams,
      query: RegistrationQuery,
      response: WorkflowRegistrationGetResponse,
      handler: ({ scope, params, query }) => workflows.registrations.get(scope, params.workflow_registration_id, query),
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/v1/workflows/archive',
      operationId: 'bulk_archive_workflows_v1_workflows_archive_put',
      summary: 'Archive several workflows; failures are listed with their reason',
      body: WorkflowBulkArchiveRequest,
      response: WorkflowBulkArchiveResponse,
      handler: async ({ scope, body }) => {
        const { changed, errored } = await workflows.catalogue.setManyArchived(scope, body.workflow_ids, true);
        return { archived: changed, errored };
      },
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/v1/workflows/unarchive',
      operationId: 'bulk_unarchive_workflows_v1_workflows_unarchive_put',
      summary: 'Unarchive several workflows; failures are listed with their reason',
      body: WorkflowBulkUnarchiveRequest,
      response: WorkflowBulkUnarchiveResponse,
      handler: async ({ scope, body }) => {
        const { changed, errored } = await workflows.catalogue.setManyArchived(scope, body.workflow_ids, false);
        return { unarchived: changed, errored };
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/:workflow_identifier',
      operationId: 'get_workflow_v1_workflows__workflow_identifier__get',
      summary: 'Read a workflow by name or id, and whether it is active',
      params: WorkflowParams,
      response: WorkflowGetResponse,
      handler: ({ scope, params }) => workflows.catalogue.get(scope, params.workflow_identifier),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/workflows/:workflow_identifier/tags',
      operationId: 'add_workflow_tags_v1_workflows__workflow_identifier__tags_post',
      summary: 'Add tags to a workflow; those that it has are kept',
      params: WorkflowParams,
      body: WorkflowTagsAddRequest,
      status: 204,
      handler: ({ scope, params, body }) => workflows.catalogue.addTags(scope, params.workflow_identifier, body.tags),
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/v1/workflows/:workflow_identifier',
      operationId: 'update_workflow_v1_workflows__workflow_identifier__put',
      summary: 'Change how a workflow is shown; tags replace the list',
      params: WorkflowParams,
      body: WorkflowUpdateRequest,
      response: WorkflowUpdateResponse,
      handler: ({ scope, params, body }) => workflows.catalogue.update(scope, params.workflow_identifier, body),
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/v1/workflows/:workflow_identifier/archive',
      operationId: 'archive_workflow_v1_workflows__workflow_identifier__archive_put',
      summary: 'Archive a workflow: it cannot be started, and running executions continue',
      params: WorkflowParams,
      response: WorkflowArchiveResponse,
      handler: ({ scope, params }) => workflows.catalogue.setArchived(scope, params.workflow_identifier, true),
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/v1/workflows/:workflow_identifier/unarchive',
      operationId: 'unarchive_workflow_v1_workflows__workflow_identifier__unarchive_put',
      summary: 'Unarchive a workflow',
      params: WorkflowParams,
      response: WorkflowUnarchiveResponse,
      handler: ({ scope, params }) => workflows.catalogue.setArchived(scope, params.workflow_identifier, false),
    }),
  ];
}
