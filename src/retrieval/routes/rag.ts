import { z } from 'zod';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  DeploymentParams,
  DeploymentSummaries,
  Pipeline,
  PipelineParams,
  RegisterDeployment,
  RegisteredDeployment,
  RegisterPipeline,
  UpdateMetrics,
  UpdateRunInfo,
} from '../schema/rag.ts';
import type { RagService } from '../service/rag-service.ts';

/** A list has all pipelines of a workspace. */
const PIPELINE_BYTES_MAX = 64 * 1024;

export function ragRoutes(rag: RagService): AnyRoute[] {
  const deployments = { tags: ['beta.rag.search_indexes'] };
  const pipelines = { tags: ['beta.rag.ingestion_pipeline_configurations'] };
  const read = { permission: 'search:read' };
  const write = { permission: 'search:write' };
  return [
    route({
      ...deployments,
      ...read,
      method: 'GET',
      path: '/v1/rag/deployments',
      operationId: 'get_deployment_summaries_v1_rag_deployments_get',
      summary: 'List the registered search deployments of the workspace',
      response: DeploymentSummaries,
      handler: async ({ scope }) => ({ deployments: await rag.listDeployments(scope) }),
    }),
    route({
      ...deployments,
      ...write,
      method: 'PUT',
      path: '/v1/rag/deployments',
      operationId: 'register_deployment_v1_rag_deployments_put',
      summary: 'Register a search deployment; one of the same name is replaced',
      stores: true,
      body: RegisterDeployment,
      response: RegisteredDeployment,
      handler: ({ scope, body }) => rag.registerDeployment(scope, body),
    }),
    route({
      ...deployments,
      ...write,
      method: 'DELETE',
      path: '/v1/rag/deployments/:deployment_id',
      operationId: 'unregister_deployment_v1_rag_deployments__deployment_id__delete',
      summary: 'Forget a search deployment',
      params: DeploymentParams,
      response: z.unknown(),
      handler: ({ scope, params }) => rag.unregisterDeployment(scope, params.deployment_id),
    }),
    route({
      ...deployments,
      ...write,
      method: 'PUT',
      path: '/v1/rag/deployments/:deployment_id/metrics',
      operationId: 'update_index_metrics_v1_rag_deployments__deployment_id__metrics_put',
      summary: 'Report the state and the document counts of a search deployment',
      params: DeploymentParams,
      body: UpdateMetrics,
      response: z.unknown(),
      handler: ({ scope, params, body }) => rag.updateMetrics(scope, params.deployment_id, body),
    }),
    route({
      ...pipelines,
      ...read,
      method: 'GET',
      path: '/v1/rag/ingestion_pipeline_configurations',
      operationId: 'get_configs_v1_rag_ingestion_pipeline_configurations_get',
      summary: 'List the registered ingestion pipelines of the workspace',
      response: z.array(Pipeline),
      handler: ({ scope }) => rag.listPipelines(scope),
    }),
    route({
      ...pipelines,
      ...write,
      method: 'PUT',
      path: '/v1/rag/ingestion_pipeline_configurations',
      operationId: 'register_config_v1_rag_ingestion_pipeline_configurations_put',
      summary: 'Register an ingestion pipeline; one of the same name is replaced',
      stores: true,
      bodyBytesMax: PIPELINE_BYTES_MAX,
      body: RegisterPipeline,
      response: Pipeline,
      handler: ({ scope, body }) => rag.registerPipeline(scope, body),
    }),
    route({
      ...pipelines,
      ...write,
      method: 'PUT',
      path: '/v1/rag/ingestion_pipeline_configurations/:id/run_info',
      operationId: 'update_run_info_v1_rag_ingestion_pipeline_configurations__id__run_info_put',
      summary: 'Report a run of an ingestion pipeline',
      params: PipelineParams,
      body: UpdateRunInfo,
      response: Pipeline,
      handler: ({ scope, params, body }) => rag.recordRun(scope, params.id, body),
    }),
  ];
}
