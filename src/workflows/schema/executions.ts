import { z } from 'zod';
import { limitedObject, queryBool, queryInt, queryList, queryRepeated } from '../../kit/http/index.ts';
import { WorkflowExecutionStatus } from './statuses.ts';
import { queryTime } from './times.ts';

const text = z.string().nullable().optional();

/** A day. For longer waits clients poll or stream. */
const WAIT_SECONDS_MAX = 86_400;
const JsonObject = z.record(z.string(), z.unknown());

const ATTRIBUTES_MAX = 100;
const TracingAttributes = z
  .record(z.string().max(256), z.string().max(4096))
  .refine((given) => Object.keys(given).length <= ATTRIBUTES_MAX, {
    error: `this may have at most ${ATTRIBUTES_MAX} keys`,
  })
  .meta({ maxProperties: ATTRIBUTES_MAX });

export const ExecutionId = z.string().min(1).max(256);

export const WorkflowExecutionRequest = z
  .strictObject({
    execution_id: ExecutionId.nullable().optional(),
    input: JsonObject.nullable().optional(),
    wait_for_result: z.boolean().default(false),
    timeout_seconds: z.number().positive().max(WAIT_SECONDS_MAX).nullable().optional(),
    custom_tracing_attributes: TracingAttributes.nullable().optional(),
    force_new_trace: z.boolean().default(false),
    /** The official Python SDK sends the caller's trace here and in the header. */
    traceparent: z.string().max(256).nullable().optional(),
    extensions: limitedObject({ keys: ATTRIBUTES_MAX, characters: 64 * 1024 })
      .nullable()
      .optional(),
    task_queue: z.string().max(256).nullable().optional().meta({ deprecated: true }),
    deployment_name: z.string().max(256).nullable().optional(),
  })
  .meta({ id: 'WorkflowExecutionRequest' });
export type WorkflowExecutionRequest = z.output<typeof WorkflowExecutionRequest>;

const execution = {
  workflow_name: z.string(),
  workflow_id: z.guid().nullable().optional(),
  deployment_name: text,
  execution_id: z.string(),
  parent_execution_id: text,
  root_execution_id: z.string(),
  run_id: text,
  user_id: text,
  status: WorkflowExecutionStatus.nullable(),
  start_time: z.iso.datetime(),
  end_time: z.iso.datetime().nullable(),
  total_duration_ms: z.int().nullable().optional(),
};

/** Sent by newer official SDKs. */
export const ExecutionQuery = z.strictObject({ include_search_keys: queryBool().default(false) });

export const WorkflowExecutionResponse = z
  .object({ ...execution, result: z.unknown(), search_keys: z.record(z.string(), z.string()).nullable().optional() })
  .meta({ id: 'WorkflowExecutionResponse' });
export type WorkflowExecutionResponse = z.output<typeof WorkflowExecutionResponse>;

const WorkflowExecutionWithoutResultResponse = z
  .object(execution)
  .meta({ id: 'WorkflowExecutionWithoutResultResponse' });
export type WorkflowExecutionWithoutResult = z.output<typeof WorkflowExecutionWithoutResultResponse>;

export const WorkflowExecutionSyncResponse = z
  .object({ workflow_name: z.string(), execution_id: z.string(), result: z.unknown() })
  .meta({ id: 'WorkflowExecutionSyncResponse' });
export type WorkflowExecutionSyncResponse = z.output<typeof WorkflowExecutionSyncResponse>;

export const ExecuteResponse = z.union([WorkflowExecutionResponse, WorkflowExecutionSyncResponse]);
export type ExecuteResponse = z.output<typeof ExecuteResponse>;

export const ExecutionParams = z.strictObject({ execution_id: z.string() });
export const RunParams = z.strictObject({ run_id: z.guid() });
export const HistoryQuery = z.strictObject({ decode_payloads: queryBool().default(false) });

const RunStatus = WorkflowExecutionStatus;

export const RunsQuery = z.strictObject({
  workflow_identifier: z.string().optional(),
  root_execution_id: z.string().optional(),
  search: z.string().optional(),
  status: queryList(RunStatus).optional(),
  deployment_name: z.string().optional(),
  sort_by: z.enum(['start_time', 'end_time']).optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  start_time_after: queryTime().optional(),
  start_time_before: queryTime().optional(),
  end_time_after: queryTime().optional(),
  end_time_before: queryTime().optional(),
  user_id: z.string().optional(),
  workflow_tags: queryRepeated(z.string()).max(20).optional(),
  include_internal: queryBool().default(true),
  page_size: queryInt().min(1).max(1000).default(50),
  next_page_token: z.string().optional(),
  search_key: queryRepeated(z.string().regex(/^[^:]+:.+$/))
    .max(3)
    .optional(),
});
export type RunsQuery = z.output<typeof RunsQuery>;

export const WorkflowExecutionListResponse = z
  .object({
    executions: z.array(WorkflowExecutionWithoutResultResponse),
    next_page_token: z.string().nullable().optional(),
  })
  .meta({ id: 'WorkflowExecutionListResponse' });
export type WorkflowExecutionListResponse = z.output<typeof WorkflowExecutionListResponse>;
