import { z } from 'zod';
import { queryBool, queryInt } from '../../kit/http/index.ts';
import { DeploymentLocation, LocationType } from './workers.ts';

const text = z.string().max(256).nullable().optional();

const DeploymentWorkerSpecInput = z
  .strictObject({
    github_url: z.string().max(2048),
    revision: z.string().max(256).nullable().default('main'),
    entrypoint: z.string().max(256).nullable().default('worker:main'),
    working_dir: text,
  })
  .meta({ id: 'DeploymentWorkerSpecInput' });

const resources = {
  replicas: z.int().nullable().optional(),
  cpu_request: text,
  cpu_limit: text,
  memory_request: text,
  memory_limit: text,
};
const DeploymentResourceConfig = z.strictObject(resources).meta({ id: 'DeploymentResourceConfig' });
const DeploymentResourceConfigUpdate = z.strictObject(resources).meta({ id: 'DeploymentResourceConfigUpdate' });

export const CreateDeploymentRequest = z
  .strictObject({
    name: z.string().max(256),
    spec: DeploymentWorkerSpecInput,
    resources: DeploymentResourceConfig.nullable().optional(),
    hardened: z.boolean().default(false),
  })
  .meta({ id: 'CreateDeploymentRequest' });

const WorkflowsWorkerSpecUpdate = z
  .strictObject({
    github_url: z.string().max(2048).nullable().optional(),
    revision: text,
    entrypoint: text,
    working_dir: text,
  })
  .meta({ id: 'WorkflowsWorkerSpecUpdate' });

export const UpdateDeploymentRequest = z
  .strictObject({
    spec: WorkflowsWorkerSpecUpdate.nullable().optional(),
    resources: DeploymentResourceConfigUpdate.nullable().optional(),
  })
  .meta({ id: 'UpdateDeploymentRequest' });

const DeploymentWorkerResponse = z
  .object({
    name: z.string(),
    created_at: z.iso.datetime(),
    last_heartbeat: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    is_active: z.boolean(),
    location: DeploymentLocation.nullable().optional(),
  })
  .meta({ id: 'DeploymentWorkerResponse' });
export type DeploymentWorkerResponse = z.output<typeof DeploymentWorkerResponse>;

const deployment = {
  id: z.guid(),
  name: z.string(),
  is_active: z.boolean(),
  is_hardened: z.boolean().default(false),
  created_at: z.iso.datetime(),
  last_heartbeat: z.iso.datetime(),
  /** The older name of `last_heartbeat`. */
  updated_at: z.iso.datetime(),
  location: DeploymentLocation.nullable().optional().meta({ deprecated: true }),
  worker_count: z.int().default(0),
  active_worker_count: z.int().default(0),
  locations: z.array(LocationType).optional(),
  /** For deployments from repositories, which this server does not build. */
  managed: z.null().optional(),
};

export const DeploymentResponse = z.object(deployment).meta({ id: 'DeploymentResponse' });
export type DeploymentResponse = z.output<typeof DeploymentResponse>;

export const DeploymentDetailResponse = z
  .object({ ...deployment, workers: z.array(DeploymentWorkerResponse) })
  .meta({ id: 'DeploymentDetailResponse' });
export type DeploymentDetailResponse = z.output<typeof DeploymentDetailResponse>;

const next_cursor = z.string().nullable();
export const DeploymentListResponse = z
  .object({ deployments: z.array(DeploymentResponse), next_cursor, workspace_id: z.guid() })
  .meta({ id: 'DeploymentListResponse' });
export type DeploymentListResponse = z.output<typeof DeploymentListResponse>;

export const DeploymentWorkerListResponse = z
  .object({ workers: z.array(DeploymentWorkerResponse), next_cursor })
  .meta({ id: 'DeploymentWorkerListResponse' });
export type DeploymentWorkerListResponse = z.output<typeof DeploymentWorkerListResponse>;

export const DeploymentsQuery = z.strictObject({
  active_only: queryBool().default(true),
  is_hardened: queryBool().optional(),
  workflow_name: z.string().optional(),
  search: z.string().optional(),
  order_by: z.enum(['updated_at', 'created_at']).optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  limit: queryInt().min(1).max(100).optional(),
  cursor: z.string().optional(),
  workspace_id: z.guid().optional(),
});
export type DeploymentsQuery = z.output<typeof DeploymentsQuery>;

export const DeploymentQuery = z.strictObject({ workflow_name: z.string().optional() });
export const DeploymentParams = z.strictObject({ name: z.string() });

export const DeploymentWorkersQuery = z.strictObject({
  worker_status: z.enum(['active', 'inactive']).optional(),
  limit: queryInt().min(1).max(100).default(50),
  cursor: z.string().optional(),
});
export type DeploymentWorkersQuery = z.output<typeof DeploymentWorkersQuery>;
