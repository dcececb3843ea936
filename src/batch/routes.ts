import { type AnyRoute, DEFAULT_JSON_LIMITS, route } from '../kit/http/index.ts';
import {
  BatchJob,
  CreateBatchJobRequest,
  DeleteBatchJobResponse,
  INLINE_REQUESTS_MAX,
  JobParams,
  JobQuery,
  JobsQuery,
  ListBatchJobsResponse,
  metadataOf,
} from './schema.ts';
import type { BatchService } from './service.ts';

const BODY_BYTES_MAX = 32 * 1024 * 1024;
/** A hundred keys per inline request on average. */
const KEYS_MAX = 100 * INLINE_REQUESTS_MAX;

export function batchRoutes(batch: BatchService): AnyRoute[] {
  const read = { tags: ['batch'], permission: 'batch:read' };
  const write = { tags: ['batch'], permission: 'batch:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/batch/jobs',
      operationId: 'jobs_api_routes_batch_get_batch_jobs',
      summary: 'List the batch jobs of the workspace',
      query: JobsQuery,
      response: ListBatchJobsResponse,
      large: true,
      handler: ({ scope, query }) => batch.list(scope, { ...query, metadata: metadataOf(query) }),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/batch/jobs',
      operationId: 'jobs_api_routes_batch_create_batch_job',
      summary: 'Run many requests in the background, from JSONL files or inline',
      creates: true,
      bodyBytesMax: BODY_BYTES_MAX,
      jsonLimits: { ...DEFAULT_JSON_LIMITS, keysMax: KEYS_MAX, valuesMax: 2 * KEYS_MAX },
      body: CreateBatchJobRequest,
      response: BatchJob,
      handler: ({ scope, body }) => batch.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/batch/jobs/:job_id',
      operationId: 'jobs_api_routes_batch_get_batch_job',
      summary: 'Read a batch job; with `inline`, also its results so far',
      params: JobParams,
      query: JobQuery,
      response: BatchJob,
      handler: (context) => batch.get(context, context.params.job_id, context.query.inline ?? false),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/batch/jobs/:job_id',
      operationId: 'jobs_api_routes_batch_delete_batch_job',
      summary: 'Delete a batch job that has ended; its files stay',
      params: JobParams,
      response: DeleteBatchJobResponse,
      handler: ({ scope, params }) => batch.remove(scope, params.job_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/batch/jobs/:job_id/cancel',
      operationId: 'jobs_api_routes_batch_cancel_batch_job',
      summary: 'Cancel a batch job; its results so far stay',
      params: JobParams,
      response: BatchJob,
      handler: ({ scope, params }) => batch.cancel(scope, params.job_id),
    }),
  ];
}
