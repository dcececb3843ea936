import { type AnyRoute, route } from '../../kit/http/index.ts';
import { PageQuery } from '../schema/common.ts';
import {
  CreateEvaluationRequest,
  CreateProjectRequest,
  Evaluation,
  EvaluationParams,
  Evaluations,
  Project,
  ProjectParams,
  Projects,
  ProjectsQuery,
} from '../schema/projects.ts';
import type { ProjectService } from '../service/projects.ts';

export function projectRoutes(projects: ProjectService): AnyRoute[] {
  const read = { tags: ['observability'], permission: 'evaluations:read' };
  const write = { tags: ['observability'], permission: 'evaluations:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/projects',
      operationId: 'get_projects_v1_observability_projects_get',
      summary: 'List projects, newest first',
      query: ProjectsQuery,
      response: Projects,
      handler: async ({ scope, query }) => ({ projects: await projects.list(scope, query) }),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/observability/projects',
      operationId: 'create_project',
      summary: 'Create a project',
      creates: true,
      status: 201,
      body: CreateProjectRequest,
      response: Project,
      handler: ({ scope, body }) => projects.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/projects/:project_slug',
      operationId: 'get_project_v1_observability_projects__project_slug__get',
      summary: 'Read a project',
      params: ProjectParams,
      response: Project,
      handler: ({ scope, params }) => projects.get(scope, params.project_slug),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/observability/projects/:project_slug',
      operationId: 'delete_project',
      summary: 'Delete a project that has no evaluations',
      status: 204,
      params: ProjectParams,
      handler: async ({ scope, params }) => void (await projects.remove(scope, params.project_slug)),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/projects/:project_slug/evaluations_v2',
      operationId: 'get_project_evaluations_v2_v1_observability_projects__project_slug__evaluations_v2_get',
      summary: 'List the evaluations of a project, newest first',
      params: ProjectParams,
      query: PageQuery,
      response: Evaluations,
      handler: async ({ scope, params, query }) => ({
        evaluations: await projects.listEvaluations(scope, params.project_slug, query),
      }),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/observability/projects/:project_slug/evaluations_v2',
      operationId: 'create_evaluation',
      summary: 'Create an evaluation',
      creates: true,
      status: 201,
      params: ProjectParams,
      body: CreateEvaluationRequest,
      response: Evaluation,
      handler: ({ scope, params, body }) => projects.createEvaluation(scope, params.project_slug, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/evaluations_v2/:evaluation_slug',
      operationId: 'get_evaluation_v2_v1_observability_evaluations_v2__evaluation_slug__get',
      summary: 'Read an evaluation',
      params: EvaluationParams,
      response: Evaluation,
      handler: ({ scope, params }) => projects.getEvaluation(scope, params.evaluation_slug),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/observability/evaluations_v2/:evaluation_slug',
      operationId: 'delete_evaluation',
      summary: 'Delete an evaluation that has no runs',
      status: 204,
      params: EvaluationParams,
      handler: async ({ scope, params }) => void (await projects.removeEvaluation(scope, params.evaluation_slug)),
    }),
  ];
}
