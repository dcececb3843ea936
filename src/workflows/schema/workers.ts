import { z } from 'zod';
import { DeploymentName, WorkflowSpec } from './definitions.ts';

export const LocationType = z.enum(['local', 'k8s', 'managed']).meta({ id: 'LocationType' });

export const DeploymentLocation = z
  .strictObject({
    location_type: LocationType,
    k8s_cluster: z.string().max(256).nullable().optional(),
    k8s_namespace: z.string().max(256).nullable().optional(),
  })
  .meta({ id: 'DeploymentLocation' });
export type DeploymentLocation = z.infer<typeof DeploymentLocation>;

const WorkerName = z.string().min(1).max(256);

export const RegisterRequest = z.strictObject({
  definitions: z.array(WorkflowSpec).max(1000),
  deployment_name: DeploymentName,
  worker_name: WorkerName,
  deployment_location: DeploymentLocation.nullable().optional(),
  /** Sent by our own workers; without it, the official SDK is assumed. */
  sdk: z.literal('tramontane').optional(),
});
export type RegisterRequest = z.output<typeof RegisterRequest>;

const RegistrationRef = z.strictObject({
  workflow_id: z.guid(),
  workflow_version_id: z.guid(),
  workflow_registration_id: z.guid().optional(),
});

/** Newer official workers omit the old name of the registration. */
const HeldRegistrationRef = z
  .strictObject({
    workflow_id: z.guid(),
    workflow_version_id: z.guid().nullable().optional(),
    workflow_registration_id: z.guid().nullable().optional(),
  })
  .transform((ref) => ref.workflow_registration_id ?? ref.workflow_version_id ?? undefined);

export const RegisterResponse = z.strictObject({
  has_conflicts: z.boolean(),
  workflow_registration_ids: z.array(z.guid()),
  workflow_registration_refs: z.array(RegistrationRef),
  warnings: z.array(z.string()),
});
export type RegisterResponse = z.output<typeof RegisterResponse>;

export const HeartbeatRequest = z.strictObject({
  deployment_name: DeploymentName,
  worker_name: WorkerName,
  workflow_registration_refs: z.array(HeldRegistrationRef).max(1000).nullable().optional(),
});
export type HeartbeatRequest = z.output<typeof HeartbeatRequest>;

export const HeartbeatResponse = z.strictObject({ all_active: z.boolean() });
export type HeartbeatResponse = z.output<typeof HeartbeatResponse>;

export const WhoAmIResponse = z.strictObject({
  scheduler_url: z.string(),
  namespace: z.string(),
  tls: z.boolean(),
  features: z.record(z.string(), z.unknown()),
});
export type WhoAmIResponse = z.output<typeof WhoAmIResponse>;
