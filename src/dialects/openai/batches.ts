import type { BatchJob } from '../../batch/index.ts';
import type { OpenAiBatch } from '../schema/openai.ts';
import { openAiFileId } from './files.ts';

const DAY_SECONDS = 24 * 60 * 60;
const PREFIX = 'batch_';
const BATCH_ID = /^batch_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The path of this dialect that a batch calls for each line. */
export const toEndpoint = (endpoint: string) => `/openai${endpoint}`;

export function toJobId(id: string): string | undefined {
  return BATCH_ID.test(id) ? id.replace(BATCH_ID, '$1-$2-$3-$4-$5') : undefined;
}

const STATUSES: Record<BatchJob['status'], OpenAiBatch['status']> = {
  QUEUED: 'validating',
  RUNNING: 'in_progress',
  SUCCESS: 'completed',
  FAILED: 'failed',
  TIMEOUT_EXCEEDED: 'expired',
  CANCELLATION_REQUESTED: 'cancelling',
  CANCELLED: 'cancelled',
};

export function renderBatch(job: BatchJob): OpenAiBatch {
  const status = STATUSES[job.status];
  const ended = job.completed_at ?? null;
  const at = (name: OpenAiBatch['status']) => (status === name ? ended : null);
  return {
    id: PREFIX + job.id.replaceAll('-', ''),
    object: 'batch',
    endpoint: job.endpoint.replace(/^\/openai/, ''),
    errors: job.status === 'FAILED' && job.errors.length > 0 ? { object: 'list', data: job.errors.map(toError) } : null,
    input_file_id: openAiFileId(job.input_files[0] ?? ''),
    completion_window: '24h',
    status,
    output_file_id: job.output_file ? openAiFileId(job.output_file) : null,
    error_file_id: job.error_file ? openAiFileId(job.error_file) : null,
    created_at: job.created_at,
    in_progress_at: job.started_at ?? null,
    expires_at: job.created_at + DAY_SECONDS,
    finalizing_at: at('completed'),
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelling_at: at('cancelling'),
    cancelled_at: at('cancelled'),
    request_counts: { total: job.total_requests, completed: job.succeeded_requests, failed: job.failed_requests },
    metadata: job.metadata ?? null,
  };
}

function toError({ message }: BatchJob['errors'][number]) {
  return { code: 'batch_failed', message, param: null, line: null };
}
