import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';
import { DeploymentName } from './definitions.ts';
import { queryTime } from './times.ts';

const Attributes = z.record(z.string().max(256), z.string().max(4096));

const WorkerLogRecord = z.strictObject({
  id: z.string().min(1).max(64),
  /** Milliseconds; microseconds and nanoseconds are detected. */
  time_ms: z.number().min(0),
  severity: z.enum(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']),
  body: z.string().max(16_384),
  execution_id: z.string().min(1).max(256).optional(),
  run_id: z.guid().optional(),
  workflow_name: z.string().max(128).optional(),
  activity_id: z.string().regex(/^\d+$/).max(20).optional(),
  attributes: Attributes.optional(),
});
export type WorkerLogRecord = z.output<typeof WorkerLogRecord>;

export const WorkerLogsRequest = z.strictObject({
  deployment_name: DeploymentName,
  worker_name: z.string().min(1).max(256),
  records: z.array(WorkerLogRecord).max(500),
});
export type WorkerLogsRequest = z.output<typeof WorkerLogsRequest>;
export const WorkerLogsResponse = z.strictObject({ accepted: z.int() });

const record = {
  timestamp: z.iso.datetime(),
  trace_id: z.string(),
  span_id: z.string(),
  severity_text: z.string(),
  body: z.string(),
  log_attributes: z.record(z.string(), z.string()),
};
export const ExecutionLogRecord = z.object(record).meta({ id: 'ExecutionLogRecord' });
export type LogRecord = z.output<typeof ExecutionLogRecord>;
export const DeploymentLogRecord = z.object(record).meta({ id: 'DeploymentLogRecord' });

const next_cursor = z.string().nullable().optional();
export const ExecutionLogSearchResponse = z
  .object({ results: z.array(ExecutionLogRecord), next_cursor })
  .meta({ id: 'ExecutionLogSearchResponse' });
export type LogSearchResponse = z.output<typeof ExecutionLogSearchResponse>;
export const DeploymentLogSearchResponse = z
  .object({ results: z.array(DeploymentLogRecord), next_cursor })
  .meta({ id: 'DeploymentLogSearchResponse' });

const StreamError = z.object({ error: z.string(), reason: z.string() }).meta({ id: 'StreamError' });
const streamOf = (data: z.ZodType) =>
  z.object({
    event: z.enum(['log', 'error']).optional(),
    id: z.string().optional(),
    data: z.union([data, StreamError]).optional(),
  });
export const ExecutionLogSse = streamOf(ExecutionLogRecord);
export const DeploymentLogSse = streamOf(DeploymentLogRecord);

const page = {
  after: queryTime().optional(),
  before: queryTime().optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  cursor: z.string().optional(),
  limit: queryInt().min(1).max(100).default(50),
};
const following = { after: queryTime().optional(), last_event_id: z.string().optional() };
const ofExecution = { run_id: z.guid().optional(), activity_id: z.string().regex(/^\d+$/).optional() };
const ofDeployment = { worker_name: z.string().optional(), workflow_name: z.string().optional() };

export const ExecutionLogsQuery = z.strictObject({ ...ofExecution, ...page });
export const ExecutionLogStreamQuery = z.strictObject({ ...ofExecution, ...following });
export const DeploymentLogsQuery = z.strictObject({ ...ofDeployment, ...page });
export const DeploymentLogStreamQuery = z.strictObject({ ...ofDeployment, ...following });

/** Query parameters of both log streams. */
export type LogChoice = {
  run_id?: string | undefined;
  activity_id?: string | undefined;
  worker_name?: string | undefined;
  workflow_name?: string | undefined;
  after?: string | undefined;
  before?: string | undefined;
};
export type LogPage = LogChoice & { order: 'asc' | 'desc'; cursor?: string | undefined; limit: number };
export type LogFollow = LogChoice & { last_event_id?: string | undefined };
