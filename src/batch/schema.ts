import { z } from 'zod';
import { QUERY_PAIRS_MAX, queryBool, queryInt, queryJsonObject, queryList } from '../kit/http/index.ts';

export const INLINE_REQUESTS_MAX = 10_000;
const CUSTOM_ID_CHARACTERS_MAX = 1024;
const INPUT_FILES_MAX = 1000;
const PAGE_MAX = 1_000_000_000;
const PAGE_SIZE_MAX = 1000;

export const ApiEndpoint = z
  .enum([
    '/v1/chat/completions',
    '/v1/embeddings',
    '/v1/fim/completions',
    '/v1/moderations',
    '/v1/chat/moderations',
    '/v1/ocr',
    '/v1/classifications',
    '/v1/chat/classifications',
    '/v1/conversations',
    '/v1/audio/transcriptions',
  ])
  .meta({ id: 'ApiEndpoint' });

export const BatchJobStatus = z
  .enum(['QUEUED', 'RUNNING', 'SUCCESS', 'FAILED', 'TIMEOUT_EXCEEDED', 'CANCELLATION_REQUESTED', 'CANCELLED'])
  .meta({ id: 'BatchJobStatus' });
export type BatchJobStatus = z.infer<typeof BatchJobStatus>;

export const BatchRequest = z
  .object({
    custom_id: z.string().max(CUSTOM_ID_CHARACTERS_MAX).nullable().optional(),
    body: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'BatchRequest' });
export type BatchRequest = z.infer<typeof BatchRequest>;

const Metadata = z
  .record(z.string().min(1).max(32), z.string().min(1).max(512))
  .refine((given) => Object.keys(given).length <= QUERY_PAIRS_MAX, {
    error: `this may have at most ${QUERY_PAIRS_MAX} keys`,
  })
  .meta({ maxProperties: QUERY_PAIRS_MAX });

export const CreateBatchJobRequest = z
  .object({
    input_files: z.array(z.uuid()).max(INPUT_FILES_MAX).nullable().optional(),
    requests: z.array(BatchRequest).max(INLINE_REQUESTS_MAX).nullable().optional(),
    endpoint: ApiEndpoint,
    model: z.string().max(512).nullable().optional(),
    agent_id: z.string().max(256).nullable().optional(),
    metadata: Metadata.nullable().optional(),
    timeout_hours: z.int().min(1).max(168).default(24),
  })
  .meta({ id: 'CreateBatchJobRequest' });
export type CreateBatchJobRequest = z.infer<typeof CreateBatchJobRequest>;

const BatchError = z.object({ message: z.string(), count: z.int().default(1) }).meta({ id: 'BatchError' });

export const BatchJob = z
  .object({
    id: z.string(),
    object: z.literal('batch').default('batch'),
    input_files: z.array(z.uuid()),
    metadata: z.record(z.string(), z.unknown()).nullable().optional(),
    endpoint: z.string(),
    model: z.string().nullable().optional(),
    agent_id: z.string().nullable().optional(),
    output_file: z.uuid().nullable().optional(),
    error_file: z.uuid().nullable().optional(),
    errors: z.array(BatchError),
    outputs: z.array(z.record(z.string(), z.unknown())).nullable().optional(),
    status: BatchJobStatus,
    created_at: z.int(),
    total_requests: z.int(),
    completed_requests: z.int(),
    succeeded_requests: z.int(),
    failed_requests: z.int(),
    started_at: z.int().nullable().optional(),
    completed_at: z.int().nullable().optional(),
  })
  .meta({ id: 'BatchJob' });
export type BatchJob = z.infer<typeof BatchJob>;

export const ListBatchJobsResponse = z
  .object({ data: z.array(BatchJob).default([]), object: z.literal('list').default('list'), total: z.int() })
  .meta({ id: 'ListBatchJobsResponse' });

export const DeleteBatchJobResponse = z
  .object({ id: z.string(), object: z.literal('batch').default('batch'), deleted: z.boolean().default(true) })
  .meta({ id: 'DeleteBatchJobResponse' });

export const JobParams = z.strictObject({ job_id: z.uuid() });

export const JobQuery = z.strictObject({ inline: queryBool().nullable().optional() });

const jobFilters = {
  page: queryInt().min(0).max(PAGE_MAX).default(0),
  page_size: queryInt().min(1).max(PAGE_SIZE_MAX).default(100),
  model: z.string().nullable().optional(),
  agent_id: z.string().nullable().optional(),
  metadata: queryJsonObject().optional(),
  created_after: z.iso.datetime({ offset: true, local: true }).nullable().optional(),
  created_by_me: queryBool().default(false),
  status: queryList(BatchJobStatus).nullable().optional(),
  order_by: z.enum(['created', '-created']).default('-created'),
};

/** The official SDKs send each pair of `metadata` as a parameter of its own, so every unknown parameter is one. */
export const JobsQuery = z
  .object(jobFilters)
  .catchall(z.string())
  .refine((query) => Object.keys(query).length <= QUERY_PAIRS_MAX, `there are more than ${QUERY_PAIRS_MAX} parameters`);

export type JobsQuery = z.infer<z.ZodObject<typeof jobFilters>>;

export function metadataOf(query: z.infer<typeof JobsQuery>): Record<string, unknown> {
  const others = Object.entries(query).filter(([name]) => !(name in jobFilters));
  return { ...query.metadata, ...Object.fromEntries(others) };
}
