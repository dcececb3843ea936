import { z } from 'zod';
import { limitJson } from '../../kit/http/index.ts';

const ExecutionId = z.string().min(1).max(256);
const GRAPH_CHARACTERS_MAX = 512 * 1024;
const TokenHash = z
  .string()
  .max(64)
  .regex(/^[0-9a-f]{64}$/);
const SearchKeyMetadata = z.record(z.string(), z.string().nullable());

export const RegisterExecutionRequest = z.strictObject({
  temporal_workflow_id: ExecutionId,
  temporal_run_id: z.guid(),
  workflow_name: z.string().min(1).max(128),
  task_queue: z.string().min(1).max(256),
  execution_token_hash: TokenHash,
  temporal_parent_workflow_id: ExecutionId.nullable().optional(),
  temporal_root_workflow_id: ExecutionId.nullable().optional(),
  search_key_metadata: SearchKeyMetadata.nullable().optional(),
});
export type RegisterExecutionRequest = z.output<typeof RegisterExecutionRequest>;

const metadata_status = z.enum(['ok', 'partial']);

export const RegisterExecutionResponse = z.strictObject({
  execution_id: z.string(),
  created: z.boolean(),
  metadata_status,
});
export type RegisterExecutionResponse = z.output<typeof RegisterExecutionResponse>;

export const SearchKeysParams = z.strictObject({ temporal_workflow_id: ExecutionId });

export const UpsertSearchKeysRequest = z.strictObject({
  search_key_metadata: SearchKeyMetadata.nullable().optional(),
  temporal_run_id: z.guid().nullable().optional(),
  /** Sent by older workers. */
  execution_token_hash: TokenHash.nullable().optional(),
});
export type UpsertSearchKeysRequest = z.output<typeof UpsertSearchKeysRequest>;

export const UpsertSearchKeysResponse = z.strictObject({
  metadata_status,
  dropped_keys: z.array(z.string()),
  truncated_keys: z.array(z.string()),
});
export type UpsertSearchKeysResponse = z.output<typeof UpsertSearchKeysResponse>;

export const DeleteSearchKeysRequest = z.strictObject({
  temporal_run_id: z.guid(),
  keys: z.array(z.string().max(1000)).max(100).optional(),
});
export type DeleteSearchKeysRequest = z.output<typeof DeleteSearchKeysRequest>;
export const DeleteSearchKeysResponse = z.strictObject({ deleted_keys: z.array(z.string()) });

export const ExecutorIdentityRequest = z.strictObject({ execution_token: z.string().min(1).max(256) });
export const ExecutorIdentityResponse = z.strictObject({
  customer_id: z.string(),
  workspace_id: z.string(),
  user_id: z.string().nullable(),
  organization_id: z.string().nullable(),
});
export type ExecutorIdentityResponse = z.output<typeof ExecutorIdentityResponse>;

const WorkflowIdentifier = z.string().min(1).max(256);
export const GraphParams = z.strictObject({ workflow_identifier: WorkflowIdentifier });
export const GraphRequest = z.strictObject({
  workflow_registration_id: z.guid(),
  version: z.int().min(1).max(1000),
  graph_data: z.record(z.string(), z.unknown()).check(limitJson(GRAPH_CHARACTERS_MAX)).nullable().optional(),
  error: z.string().max(10_000).nullable().optional(),
});
export type GraphRequest = z.output<typeof GraphRequest>;
export const GraphOfParams = z.strictObject({ workflow_identifier: WorkflowIdentifier, registration_id: z.guid() });
export const GraphResponse = z.strictObject({
  workflow_registration_id: z.guid(),
  version: z.int(),
  graph_data: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
});
export type GraphResponse = z.output<typeof GraphResponse>;
